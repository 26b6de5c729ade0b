// The extension: keeps the language server `nesl lsp` informed of NESL documents, and gives its answers to VS Code.
'use strict';

const vscode = require('vscode');
const { Client } = require('./client');

const LANGUAGE = 'nesl';
const CANCELLED = -32800;
const METHOD_PREFIX = 'textDocument/';

let client = null; // of the running server
let diagnostics = null;

const isNesl = (document) => document.languageId === LANGUAGE;

// --- From and to the protocol --------------------------------------------------------------------------------------

const toRange = (range) =>
  new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
const fromPosition = (position) => ({ line: position.line, character: position.character });
const fromRange = (range) => ({ start: fromPosition(range.start), end: fromPosition(range.end) });
const toLocation = (location) => new vscode.Location(vscode.Uri.parse(location.uri), toRange(location.range));
const toEdits = (edits) => edits.map((edit) => new vscode.TextEdit(toRange(edit.range), edit.newText));
const atDocument = (document) => ({ textDocument: { uri: document.uri.toString() } });
const atPosition = (document, position) => ({ ...atDocument(document), position: fromPosition(position) });

function toWorkspaceEdit(edit) {
  const result = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes)) result.set(vscode.Uri.parse(uri), toEdits(edits));
  return result;
}

function toDiagnostic(found) {
  // Severities of the protocol count from 1, those of VS Code from 0.
  const diagnostic = new vscode.Diagnostic(toRange(found.range), found.message, found.severity - 1);
  diagnostic.source = found.source;
  diagnostic.code = found.code;
  diagnostic.relatedInformation = (found.relatedInformation || []).map(
    (note) => new vscode.DiagnosticRelatedInformation(toLocation(note.location), note.message));
  return diagnostic;
}

function toSymbol(symbol) {
  const result = new vscode.DocumentSymbol(
    symbol.name, '', symbol.kind - 1, toRange(symbol.range), toRange(symbol.selectionRange));
  result.children = symbol.children.map(toSymbol);
  return result;
}

function toCompletion(item) {
  const result = new vscode.CompletionItem(item.label, item.kind - 1);
  result.detail = item.detail;
  result.insertText = item.textEdit.newText;
  result.range = toRange(item.textEdit.range);
  result.item = item;
  return result;
}

function toSignatureHelp(help) {
  const result = new vscode.SignatureHelp();
  result.signatures = help.signatures.map((signature) => {
    const information = new vscode.SignatureInformation(signature.label, signature.documentation);
    information.parameters = signature.parameters.map((p) => new vscode.ParameterInformation(p.label));
    return information;
  });
  result.activeSignature = help.activeSignature;
  result.activeParameter = help.activeParameter;
  return result;
}

// --- Requests ------------------------------------------------------------------------------------------------------

/** The converted answer of the server; null if there is none. A request that fails is a message only if `shown`. */
async function ask(method, parameters, token, convert, shown = false) {
  if (client === null) return null;
  try {
    const result = await client.request(method, parameters, token);
    return result === null ? null : convert(result);
  } catch (error) {
    if (shown && error.code !== CANCELLED) throw error;
    return null;
  }
}

const document = (method, parameters, token, convert, shown) =>
  ask(METHOD_PREFIX + method, parameters, token, convert, shown);

function registerProviders() {
  const { languages } = vscode;
  return [
    languages.registerHoverProvider(LANGUAGE, {
      provideHover: (text, position, token) =>
        document('hover', atPosition(text, position), token,
          (found) => new vscode.Hover(new vscode.MarkdownString(found.contents.value), toRange(found.range))),
    }),
    languages.registerDefinitionProvider(LANGUAGE, {
      provideDefinition: (text, position, token) => document('definition', atPosition(text, position), token, toLocation),
    }),
    languages.registerReferenceProvider(LANGUAGE, {
      provideReferences: (text, position, context, token) =>
        document('references', { ...atPosition(text, position), context: { includeDeclaration: context.includeDeclaration } }, token,
          (found) => found.map(toLocation)),
    }),
    languages.registerDocumentHighlightProvider(LANGUAGE, {
      provideDocumentHighlights: (text, position, token) =>
        document('documentHighlight', atPosition(text, position), token,
          (found) => found.map((one) => new vscode.DocumentHighlight(toRange(one.range)))),
    }),
    languages.registerRenameProvider(LANGUAGE, {
      prepareRename: (text, position, token) => document('prepareRename', atPosition(text, position), token, toRange, true),
      provideRenameEdits: (text, position, newName, token) =>
        document('rename', { ...atPosition(text, position), newName }, token, toWorkspaceEdit, true),
    }),
    languages.registerDocumentSymbolProvider(LANGUAGE, {
      provideDocumentSymbols: (text, token) =>
        document('documentSymbol', atDocument(text), token, (found) => found.map(toSymbol)),
    }),
    languages.registerCompletionItemProvider(LANGUAGE, {
      provideCompletionItems: (text, position, token) =>
        document('completion', atPosition(text, position), token, (found) => found.map(toCompletion)),
      resolveCompletionItem: async (completion, token) => {
        completion.documentation =
          await ask('completionItem/resolve', completion.item, token, (item) => item.documentation);
        return completion;
      },
    }, '.'),
    languages.registerSignatureHelpProvider(LANGUAGE, {
      provideSignatureHelp: (text, position, token) =>
        document('signatureHelp', atPosition(text, position), token, toSignatureHelp),
    }, '(', ','),
    languages.registerDocumentFormattingEditProvider(LANGUAGE, {
      provideDocumentFormattingEdits: (text, options, token) =>
        document('formatting', { ...atDocument(text), options }, token, toEdits, true),
    }),
    languages.registerCodeActionsProvider(LANGUAGE, {
      provideCodeActions: (text, range, context, token) =>
        document('codeAction', { ...atDocument(text), range: fromRange(range), context: { diagnostics: [] } }, token,
          (found) => found.map((one) => {
            const action = new vscode.CodeAction(one.title, vscode.CodeActionKind.QuickFix);
            action.diagnostics = one.diagnostics.map(toDiagnostic);
            action.edit = toWorkspaceEdit(one.edit);
            return action;
          })),
    }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
  ];
}

// --- Documents -----------------------------------------------------------------------------------------------------

function open(text) {
  if (client === null || !isNesl(text)) return;
  client.notify('textDocument/didOpen', {
    textDocument: { uri: text.uri.toString(), languageId: LANGUAGE, version: text.version, text: text.getText() },
  });
}

function change(event) {
  if (client === null || !isNesl(event.document) || event.contentChanges.length === 0) return;
  client.notify('textDocument/didChange', {
    textDocument: { uri: event.document.uri.toString(), version: event.document.version },
    contentChanges: event.contentChanges.map((one) => ({ range: fromRange(one.range), text: one.text })),
  });
}

function close(text) {
  if (client !== null && isNesl(text)) client.notify('textDocument/didClose', atDocument(text));
}

function save(text) {
  if (client !== null && isNesl(text)) client.notify('textDocument/didSave', atDocument(text));
}

// --- The server ----------------------------------------------------------------------------------------------------

const ABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    publishDiagnostics: { relatedInformation: true },
    hover: { contentFormat: ['markdown'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    signatureHelp: { signatureInformation: { parameterInformation: { labelOffsetSupport: true } } },
  },
};

async function start() {
  const settings = vscode.workspace.getConfiguration('nesl');
  const started = new Client(settings.get('command'), ['lsp', ...settings.get('arguments')], (method, parameters) => {
    if (method === 'textDocument/publishDiagnostics')
      diagnostics.set(vscode.Uri.parse(parameters.uri), parameters.diagnostics.map(toDiagnostic));
  }, (reason) => {
    if (client === started) {
      client = null;
      diagnostics.clear();
    }
    if (reason !== null) vscode.window.showErrorMessage(`NESL: ${reason} The setting nesl.command says which command is used.`);
  });
  try {
    await started.request('initialize', { processId: process.pid, rootUri: null, capabilities: ABILITIES });
  } catch {
    return; // has been reported
  }
  client = started;
  client.notify('initialized', {});
  vscode.workspace.textDocuments.forEach(open);
}

async function stop() {
  const running = client;
  if (running === null) return;
  client = null;
  diagnostics.clear();
  await running.stop();
}

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection(LANGUAGE);
  context.subscriptions.push(
    diagnostics,
    ...registerProviders(),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(change),
    vscode.workspace.onDidCloseTextDocument(close),
    vscode.workspace.onDidSaveTextDocument(save),
    vscode.commands.registerCommand('nesl.restart', async () => {
      await stop();
      await start();
    }));
  await start();
}

module.exports = { activate, deactivate: stop };
