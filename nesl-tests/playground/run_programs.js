// Runs programs with the WebAssembly of the playground under node, and compares output and exit status with those of the
// native command: the programs of examples/, and the cases of nesl-tests/nesl and of its messages/, a part of them, or
// all if NESL_TEST_LONG is set.
//
//   run_programs.js FOLDER_OF_WASM NESL ROOT
'use strict';

const fs = require('fs');
const path = require('path');
const {spawnSync} = require('child_process');

const [built, native, root] = process.argv.slice(2).map(name => path.resolve(name));
process.setMaxListeners(0);  // each instance of the program adds some
const createNesl = require(path.join(built, 'nesl.js'));
const runNesl = new Function('createNesl', 'compiled',
                             fs.readFileSync(path.join(root, 'playground/page/worker.js'), 'utf8')
                                 .replace('let compiled = null;', '') + '\nreturn runNesl;')(
    createNesl, new WebAssembly.Module(fs.readFileSync(path.join(built, 'nesl.wasm'))));

/// One in so many cases is run.
const kPart = process.env.NESL_TEST_LONG ? 1 : 12;
const seed = Number(process.env.NESL_TEST_SEED ?? 0);

async function playground(words, given) {
  const printed = {output: '', errors: ''};
  const {status} = await runNesl({words, given, wanted: []}, (text, isError) => {
    printed[isError ? 'errors' : 'output'] += text;
  });
  return {status, ...printed};
}

function command(words, given) {
  const folder = fs.mkdtempSync(path.join(require('os').tmpdir(), 'nesl-playground-'));
  try {
    for (const [name, text] of Object.entries(given)) fs.writeFileSync(path.join(folder, name), text);
    const {status, stdout, stderr} = spawnSync(native, words, {cwd: folder, encoding: 'utf8', input: '', maxBuffer: 1 << 26});
    return {status, output: stdout, errors: stderr};
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
}

let failures = 0, count = 0;

/// Runs the words with both; the native command on one thread and without compiled kernels, as the playground does.
async function compare(name, words, given) {
  const expected = command([...words, '--threads=1', '--native=off'], given);
  const found = await playground(words, given);
  ++count;
  if (JSON.stringify(expected) === JSON.stringify(found)) return;
  ++failures;
  console.log(`${name}: nesl ${words.join(' ')}\n  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(found)}`);
}

/// The cases of a file: name and statements.
function casesOf(file) {
  const cases = [];
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const begin = line.match(/^case (\S+)/);
    if (begin) cases.push({name: begin[1], statements: []});
    if (line.startsWith('> ')) cases.at(-1).statements.push(line.slice(2));
  }
  return cases;
}

async function main() {
  const examples = path.join(root, 'examples');
  for (const file of fs.readdirSync(examples).filter(name => name.endsWith('.nesl'))) {
    const words = ['run', '--print=classic', file];
    const given = {[file]: fs.readFileSync(path.join(examples, file), 'utf8')};
    const found = await playground(words, given);
    const expected = fs.readFileSync(path.join(examples, 'expected', file.replace('.nesl', '.txt')), 'utf8');
    ++count;
    if (found.status === 0 && found.output === expected) continue;
    ++failures;
    console.log(`examples/${file}: status ${found.status}\n${found.errors}${found.output.slice(0, 2000)}`);
  }

  const cases = ['cases.txt', 'library.txt', 'language.txt'].flatMap(name => casesOf(path.join(root, 'nesl-tests/nesl', name)));
  for (const [k, {name, statements}] of cases.entries()) {
    if ((k + seed) % kPart !== 0) continue;
    // Each statement that may fail ends the run, so that each one is the last of a program.
    for (let last = 0; last < statements.length; ++last) await compare(name, ['-e', statements.slice(0, last + 1).join('\n')], {});
  }

  const messages = path.join(root, 'nesl-tests/nesl/messages');
  for (const [k, file] of fs.readdirSync(messages).filter(name => name.endsWith('.nesl')).entries()) {
    if ((k + seed) % kPart !== 0) continue;
    await compare(file, ['run', file], {[file]: fs.readFileSync(path.join(messages, file), 'utf8')});
  }

  console.log(`${count} programs, ${failures} failures`);
  process.exit(failures === 0 && count > 30 ? 0 : 1);
}

main();
