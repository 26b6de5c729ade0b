// Runs commands of `nesl`, each in a new instance of the program, whose memory ends with it. `createNesl` is before this
// text.
'use strict';

let compiled = null;

/// The texts of those of the files that exist, by name.
function filesOf(fs, names) {
  const existing = names.filter(name => fs.analyzePath(name).exists);
  return Object.fromEntries(existing.map(name => [name, fs.readFile(name, {encoding: 'utf8'})]));
}

/// Runs `nesl` with `words`. `given` and `wanted`: the files that it finds, by name, and the names of those that it may
/// write. `say(text, isError)` gets what it prints.
async function runNesl({words, given, wanted}, say) {
  const output = {bytes: [], isError: false}, errors = {bytes: [], isError: true};
  const flush = stream => {
    if (stream.bytes.length > 0) say(new TextDecoder().decode(new Uint8Array(stream.bytes)), stream.isError);
    stream.bytes = [];
  };
  // Takes a byte, or null where the program flushes. The order of the streams is kept.
  const writer = (stream, other) => byte => {
    flush(other);
    if (byte !== null) stream.bytes.push(byte);
    if (byte === null || (byte === 10 && stream.bytes.length > 1000)) flush(stream);
  };
  const instance = await createNesl({
    thisProgram: 'nesl',
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(made => done(made, compiled));
      return {};
    },
    preRun: [module => module.FS.init(() => null, writer(output, errors), writer(errors, output))],
    // Ends main(): by exit(), with an object that callMain() knows, or by a failure of the engine.
    quit(code, cause) {
      throw cause;
    },
  });
  for (const [name, text] of Object.entries(given)) instance.FS.writeFile(name, text);
  let status = 1, problem = '';
  try {
    status = instance.callMain(words);
  } catch (failure) {
    problem = failure instanceof RangeError ? 'the program nests too deeply for the stack of the browser' : String(failure);
  }
  flush(output);
  flush(errors);
  if (problem !== '') say(`nesl: ${problem}\n`, true);
  return {status, files: filesOf(instance.FS, wanted)};
}

if (typeof self !== 'undefined' && typeof WorkerGlobalScope !== 'undefined')
  self.onmessage = async ({data}) => {
    if (data.compiled) {
      compiled = data.compiled;
      return;
    }
    const ended = await runNesl(data, (text, isError) => self.postMessage({text, isError}));
    self.postMessage({ended});
  };
