// The page: the editor, the worker that runs `nesl`, and links that contain a program. `neslProgram` is the packed
// program (playground/pack_page.py).
'use strict';

const neslPlayground = (() => {
  const one = id => document.getElementById(id);
  const program = one('program'), output = one('output'), steps = one('steps'), plot = one('plot');
  const kFile = 'program.nesl';
  const kMostOutput = 1 << 20;  // characters

  // --- the program that runs -------------------------------------------------------------------------------------------

  async function unpack(base64) {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  const compiled = unpack(neslProgram.wasm);
  const workerText = URL.createObjectURL(new Blob([neslProgram.worker], {type: 'text/javascript'}));
  let worker = null;   // ready to run a command
  let running = null;  // {stop} while a command runs

  async function makeWorker() {
    const made = new Worker(workerText);
    made.postMessage({compiled: await compiled});
    return made;
  }

  function endWorker() {
    worker?.terminate();
    worker = null;
  }

  /// Runs `nesl` with `words` on the program of the editor. Returns the exit status, null if it was stopped, and the
  /// texts of the files `wanted`.
  async function nesl(words, wanted = []) {
    worker ??= await makeWorker();
    return new Promise(resolve => {
      let printed = 0;
      const end = result => {
        running = null;
        resolve(result);
      };
      const stop = why => {
        endWorker();
        say(`\n${why}\n`, true);
        end({status: null, files: {}});
      };
      running = {stop};
      worker.onerror = event => stop(`nesl: ${event.message}`);
      worker.onmessage = ({data}) => {
        if (data.ended) return end(data.ended);
        printed += data.text.length;
        say(data.text, data.isError);
        if (printed > kMostOutput) stop('stopped: the program prints more than this page shows');
      };
      worker.postMessage({words, given: {[kFile]: program.value}, wanted});
    });
  }

  // --- output ----------------------------------------------------------------------------------------------------------

  let wrongLines = new Set();

  /// Adds a text to the output. Places in the program become buttons that lead there.
  function say(text, isError) {
    const part = document.createElement('span');
    if (isError) part.className = 'error';
    let end = 0;
    for (const match of text.matchAll(/program\.nesl:(\d+)(?::(\d+))?/g)) {
      part.append(text.slice(end, match.index));
      end = match.index + match[0].length;
      const line = Number(match[1]), column = Number(match[2] ?? 1);
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = match[0];
      button.onclick = () => goTo(line, column);
      part.append(button);
      if (isError) wrongLines.add(line);
    }
    part.append(text.slice(end));
    output.append(part);
  }

  function clear() {
    output.textContent = '';
    plot.hidden = steps.hidden = true;
    wrongLines = new Set();
    paint();
  }

  async function command(words, wanted = []) {
    running?.stop('stopped');
    clear();
    one('stop').disabled = false;
    one('status').textContent = 'running';
    const begin = performance.now();
    const result = await nesl(words, wanted);
    const seconds = (performance.now() - begin) / 1000;
    one('stop').disabled = true;
    one('status').textContent = result.status === null ? 'stopped' : `${result.status === 0 ? 'done' : 'failed'} after ${seconds.toFixed(2)} s`;
    paint();
    return result;
  }

  // --- editor ----------------------------------------------------------------------------------------------------------

  function paint() {
    one('colours').innerHTML = neslHighlight.html(program.value) + '\n';
    const count = program.value.split('\n').length;
    one('lines').innerHTML = Array.from({length: count}, (_, k) => wrongLines.has(k + 1) ? `<span class="wrong">${k + 1}</span>` : `${k + 1}\n`).join('');
    follow();
  }

  function follow() {
    one('colours').scrollTop = one('lines').scrollTop = program.scrollTop;
    one('colours').scrollLeft = program.scrollLeft;
  }

  /// Moves the cursor to a place, with columns in characters, from 1.
  function goTo(line, column) {
    const lines = program.value.split('\n');
    const before = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    const at = before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
    program.focus();
    program.setSelectionRange(at, at);
    program.scrollTop = Math.max(0, (line - 5) * program.scrollHeight / lines.length);
  }

  function setProgram(text) {
    program.value = text;
    program.scrollTop = 0;
    clear();
  }

  // --- links -----------------------------------------------------------------------------------------------------------

  async function transformed(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  }

  /// The program as the fragment of an address: deflated, in the alphabet of base64 for addresses.
  async function fragmentOf(text) {
    const bytes = await transformed(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    const base64 = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
    return '#program=' + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  async function programOf(fragment) {
    const base64 = fragment.slice('#program='.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(await transformed(bytes, new DecompressionStream('deflate-raw')));
  }

  async function openLink() {
    if (!location.hash.startsWith('#program=')) return;
    try {
      setProgram(await programOf(location.hash));
    } catch {
      say('The address contains no program: a part of it is missing.\n', true);
    }
  }

  // --- controls --------------------------------------------------------------------------------------------------------

  const expression = () => one('expression').value.trim();

  const actions = {
    run: () => command(['run', kFile, ...(expression() === '' ? [] : ['-e', expression()])]),
    test: () => command(['test', kFile]),
    explain: () => command(['run', kFile, '--explain']),
    async format() {
      const {status, files} = await command(['fmt', kFile], [kFile]);
      if (status === 0 && files[kFile] !== program.value) setProgram(files[kFile]);
    },
    async show() {
      const words = ['show', kFile, '--html=show.html', ...(expression() === '' ? [] : ['-e', expression()])];
      const {files} = await command(words, ['show.html']);
      if (files['show.html'] === undefined) return;
      steps.srcdoc = files['show.html'];
      steps.hidden = false;
    },
    async cost() {
      if (expression() === '') return say('Cost measures an expression that uses n, as sort({rand(n) : i in [0:n]}): write one.\n', true);
      const {files} = await command(
          ['cost', kFile, '-e', expression(), '--plot=cost.svg', `--n=${one('sizes').value.trim()}`], ['cost.svg']);
      if (files['cost.svg'] === undefined) return;
      plot.src = 'data:image/svg+xml,' + encodeURIComponent(files['cost.svg']);
      plot.hidden = false;
    },
    stop: () => running?.stop('stopped'),
    async share() {
      history.replaceState(null, '', await fragmentOf(program.value));
      try {
        await navigator.clipboard.writeText(location.href);
        one('status').textContent = 'the link is in the clipboard';
      } catch {
        one('status').textContent = 'the link is the address of this page';
      }
    },
  };

  async function begin() {
    for (const [id, action] of Object.entries(actions)) one(id).onclick = action;
    program.oninput = paint;
    program.onscroll = follow;
    document.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        actions.run();
      }
    });
    for (const name of Object.keys(neslProgram.examples)) one('examples').add(new Option(name, name));
    one('examples').onchange = () => {
      history.replaceState(null, '', location.pathname + location.search);
      setProgram(neslProgram.examples[one('examples').value]);
    };
    one('examples').value = 'quicksort';
    setProgram(neslProgram.examples.quicksort);
    await openLink();
    addEventListener('hashchange', openLink);
    await compiled;
    worker = await makeWorker();
    one('status').textContent = 'ready';
  }

  const ready = begin().catch(failure => {
    one('status').textContent = 'failed';
    say(`This browser cannot run the playground: ${failure.message}\nIt needs WebAssembly with exceptions, as in Chrome 95, Firefox 113, Safari 16.4 and later.\n`, true);
  });
  return {ready, actions, fragmentOf, programOf};
})();
