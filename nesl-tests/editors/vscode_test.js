// Runs the extension for VS Code in Node.js, with a stand-in for the editor and the real language server.
//
//   node vscode_test.js EXTENSION_FOLDER NESL
'use strict';

const assert = require('assert');
const Module = require('module');
const path = require('path');

const [folder, nesl] = process.argv.slice(2);

// --- The stand-in: the part of the API that the extension uses -------------------------------------------------------

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(a, b, c, d) { Object.assign(this, { start: new Position(a, b), end: new Position(c, d) }); }
}
const record = (...names) => class { constructor(...values) { names.forEach((name, k) => { this[name] = values[k]; }); } };
class WorkspaceEdit {
  constructor() { this.edits = {}; }
  set(uri, edits) { this.edits[uri.toString()] = edits; }
}
const uriOf = (text) => ({ toString: () => text });

const listeners = {};
const event = (name) => (listener) => { listeners[name] = listener; return { dispose() {} }; };
const providers = {};
const registrar = (name) => (language, provider) => {
  assert.strictEqual(language, 'nesl');
  providers[name] = provider;
  return { dispose() {} };
};
const shown = new Map();
const errors = [];
const commands = {};
const settings = { command: nesl, arguments: ['--int=64'] };

const vscode = {
  Position, Range, WorkspaceEdit,
  Location: record('uri', 'range'),
  TextEdit: record('range', 'newText'),
  Diagnostic: record('range', 'message', 'severity'),
  DiagnosticRelatedInformation: record('location', 'message'),
  DocumentSymbol: record('name', 'detail', 'kind', 'range', 'selectionRange'),
  CompletionItem: record('label', 'kind'),
  SignatureHelp: record(),
  SignatureInformation: record('label', 'documentation'),
  ParameterInformation: record('label'),
  Hover: record('contents', 'range'),
  MarkdownString: record('value'),
  DocumentHighlight: record('range'),
  CodeAction: record('title', 'kind'),
  CodeActionKind: { QuickFix: 'quickfix' },
  Uri: { parse: uriOf },
  commands: { registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; } },
  window: { showErrorMessage: (message) => errors.push(message) },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidOpenTextDocument: event('open'),
    onDidChangeTextDocument: event('change'),
    onDidCloseTextDocument: event('close'),
    onDidSaveTextDocument: event('save'),
  },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => { shown.set(uri.toString(), list); },
      clear: () => shown.clear(),
      dispose() {},
    }),
  },
};
for (const name of ['Hover', 'Definition', 'Reference', 'DocumentHighlight', 'Rename', 'DocumentSymbol', 'CompletionItem', 'SignatureHelp',
  'DocumentFormattingEdit', 'CodeActions'])
  vscode.languages[`register${name}Provider`] = registrar(name);

const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));

// --- The tests ---------------------------------------------------------------------------------------------------

const document = (uri, text, languageId = 'nesl') => ({ uri: uriOf(uri), languageId, version: 1, getText: () => text });
const token = { onCancellationRequested() {} };
const numbers = (range) => [range.start.line, range.start.character, range.end.line, range.end.character];

async function until(condition, what) {
  for (let k = 0; k < 600; ++k) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`waited in vain for ${what}`);
}

const TEXT = 'function double(x) "Twice x." = x + x;\nfour = double(2);\nfive = doubel(3);\nsix=6;\n';

async function test() {
  const extension = require(path.resolve(folder, 'extension.js'));
  const subscriptions = [];
  const text = document('file:///test/main.nesl', TEXT);
  vscode.workspace.textDocuments = [text, document('file:///test/other.txt', '(', 'plaintext')];
  await extension.activate({ subscriptions });
  assert.ok(subscriptions.length > 10);

  const uri = text.uri.toString();
  await until(() => shown.has(uri), 'diagnostics');
  const [diagnostic] = shown.get(uri);
  assert.deepStrictEqual([shown.size, shown.get(uri).length, diagnostic.message, diagnostic.severity, diagnostic.source, numbers(diagnostic.range)],
    [1, 1, 'doubel is undefined', 0, 'nesl', [2, 7, 2, 13]]);
  assert.deepStrictEqual(diagnostic.relatedInformation.map((note) => note.message), ['did you mean double?']);

  const at = (line, character) => new Position(line, character);
  const hover = await providers.Hover.provideHover(text, at(1, 9), token);
  assert.ok(hover.contents.value.includes('double(x) :') && hover.contents.value.includes('Twice x.'), hover.contents.value);
  const definition = await providers.Definition.provideDefinition(text, at(1, 9), token);
  assert.deepStrictEqual([definition.uri.toString(), numbers(definition.range)], [uri, [0, 9, 0, 15]]);
  const references = await providers.Reference.provideReferences(text, at(1, 9), { includeDeclaration: true }, token);
  assert.deepStrictEqual(references.map((one) => numbers(one.range)), [[0, 9, 0, 15], [1, 7, 1, 13]]);
  assert.strictEqual((await providers.DocumentHighlight.provideDocumentHighlights(text, at(1, 9), token)).length, 2);
  assert.deepStrictEqual(numbers(await providers.Rename.prepareRename(text, at(1, 9), token)), [1, 7, 1, 13]);
  const rename = await providers.Rename.provideRenameEdits(text, at(1, 9), 'twice', token);
  assert.deepStrictEqual(rename.edits[uri].map((edit) => edit.newText), ['twice', 'twice']);
  await assert.rejects(providers.Rename.provideRenameEdits(text, at(1, 9), 'if', token), /'if' cannot be a name/);
  const symbols = await providers.DocumentSymbol.provideDocumentSymbols(text, token);
  assert.deepStrictEqual(symbols.map((symbol) => [symbol.name, symbol.kind]), [['double', 11], ['four', 12], ['five', 12], ['six', 12]]);
  const completions = await providers.CompletionItem.provideCompletionItems(text, at(1, 10), token);
  const double = completions.find((item) => item.label === 'double');
  assert.deepStrictEqual([double.kind, double.insertText, numbers(double.range)], [2, 'double', [1, 7, 1, 10]]);
  assert.strictEqual((await providers.CompletionItem.resolveCompletionItem(double, token)).documentation, 'Twice x.');
  const help = await providers.SignatureHelp.provideSignatureHelp(text, at(1, 14), token);
  assert.deepStrictEqual([help.activeParameter, help.signatures[0].parameters.length], [0, 1]);
  const edits = await providers.DocumentFormattingEdit.provideDocumentFormattingEdits(text, {}, token);
  assert.deepStrictEqual(edits.map((edit) => [edit.newText, numbers(edit.range)]), [['six = 6;\n', [3, 0, 4, 0]]]);
  const [action] = await providers.CodeActions.provideCodeActions(text, new Range(2, 8, 2, 8), {}, token);
  assert.deepStrictEqual([action.title, action.kind, action.edit.edits[uri][0].newText, action.diagnostics[0].message],
    ['Change to double', 'quickfix', 'double', 'doubel is undefined']);

  text.version = 2;
  listeners.change({ document: text, contentChanges: [{ range: new Range(2, 7, 2, 13), text: 'double' }] });
  await until(() => shown.get(uri).length === 0, 'no diagnostics');
  listeners.change({ document: text, contentChanges: [] });
  listeners.change({ document: document('file:///test/other.txt', '(', 'plaintext'), contentChanges: [{}] });
  // A 64-bit literal needs the option in the settings.
  const second = document('file:///test/second.nesl', '% \u{1F600} % x = 4294967296; y = \u{1F600};\n');
  listeners.open(second);
  await until(() => shown.has(second.uri.toString()), 'diagnostics of a second document');
  assert.deepStrictEqual(shown.get(second.uri.toString()).map((one) => numbers(one.range)), [[0, 27, 0, 29]]);
  listeners.save(second);
  listeners.close(second);
  await until(() => shown.get(second.uri.toString()).length === 0, 'no diagnostics of a closed document');

  // A cancelled request has no result, and is no error.
  let cancel;
  const late = providers.Hover.provideHover(text, at(1, 9), { onCancellationRequested: (run) => { cancel = run; } });
  cancel();
  await late;

  await commands['nesl.restart']();
  vscode.workspace.textDocuments = [text];
  await until(() => shown.has(uri), 'diagnostics after a restart');
  await extension.deactivate();
  assert.deepStrictEqual(errors, []);
  assert.strictEqual(await providers.Hover.provideHover(text, at(1, 9), token), null);

  settings.command = '/none/nesl';
  await commands['nesl.restart']();
  assert.strictEqual(errors.length, 1);
  assert.ok(errors[0].includes('/none/nesl cannot be started'), errors[0]);
  assert.strictEqual(await providers.Hover.provideHover(text, at(1, 9), token), null);
  settings.command = process.execPath; // is no language server: it ends with an error
  await commands['nesl.restart']();
  assert.ok(errors[1].includes('has ended with status'), errors[1]);
}

test().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
