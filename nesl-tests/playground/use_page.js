// Opens the page of the playground in headless Chromium, from its folder, without a server, and uses it.
//
//   use_page.js BROWSER FOLDER
'use strict';

const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {spawn} = require('child_process');

const [browser, folder] = process.argv.slice(2);
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'nesl-page-'));

// The browser's protocol on two pipes: messages in JSON, each followed by a null byte.
const child = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${profile}`, '--window-size=1200,800'],
                    {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
const answers = new Map();
let lastId = 0, received = '';
child.stdio[4].setEncoding('utf8').on('data', data => {
  const messages = (received + data).split('\0');
  received = messages.pop();
  for (const message of messages.map(text => JSON.parse(text))) {
    answers.get(message.id)?.(message);
    answers.delete(message.id);
  }
});

function send(method, params = {}, sessionId = undefined) {
  const id = ++lastId;
  child.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
  return new Promise((resolve, reject) => answers.set(id, ({result, error}) => error ? reject(new Error(error.message)) : resolve(result)));
}

let session;

/// The value of an expression of JavaScript in the page.
async function evaluate(expression) {
  const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true}, session);
  assert(!exceptionDetails, exceptionDetails?.exception?.description);
  return result.value;
}

async function open(fragment = '') {
  await send('Page.navigate', {url: 'about:blank'}, session);
  await send('Page.navigate', {url: `file://${path.resolve(folder)}/index.html${fragment}`}, session);
  while (!await evaluate('typeof neslPlayground !== "undefined"')) await new Promise(resolve => setTimeout(resolve, 20));
  return evaluate('neslPlayground.ready.then(() => performance.now())');
}

const output = () => evaluate('document.getElementById("output").textContent');
const status = () => evaluate('document.getElementById("status").textContent');
const write = text => evaluate(`{ const p = document.getElementById('program'); p.value = ${JSON.stringify(text)}; p.dispatchEvent(new Event('input')); }`);
const expression = text => evaluate(`document.getElementById('expression').value = ${JSON.stringify(text)}`);
const press = name => evaluate(`neslPlayground.actions.${name}()`);
async function picture(name) {
  if (!process.env.NESL_PICTURES) return;
  const {data} = await send('Page.captureScreenshot', {}, session);
  fs.writeFileSync(path.join(process.env.NESL_PICTURES, name), Buffer.from(data, 'base64'));
}

const steps = {
  async 'is ready soon'() {
    const milliseconds = await open();
    console.log(`  ready after ${milliseconds.toFixed(0)} ms`);
    assert(milliseconds < 10000);
    assert.equal(await status(), 'ready');
    const size = fs.readdirSync(folder).reduce((sum, name) => sum + require('zlib').gzipSync(fs.readFileSync(path.join(folder, name))).length, 0);
    console.log(`  ${size} bytes, compressed`);
    assert(size < 4 << 20);
  },
  async 'runs an example'() {
    await press('run');
    assert.match(await output(), /it = /);
    assert.match(await status(), /^done/);
    assert(await evaluate('document.querySelectorAll("#colours .declaration").length') > 0);
    await picture('run.png');
  },
  async 'shows errors at their places'() {
    await write('function f(x) = x + 1;\nf(2) +;\n');
    await press('run');
    assert.match(await output(), /program\.nesl:2:7: error: .*\n  f\(2\) \+;\n        \^/);
    assert.match(await status(), /^failed/);
    assert.equal(await evaluate('document.querySelector("#lines .wrong").textContent'), '2');
    await evaluate('document.querySelector("#output button").click()');
    assert.equal(await evaluate('document.getElementById("program").selectionStart'), 'function f(x) = x + 1;\nf(2) +'.length);
    await picture('error.png');
    await write('function f(s) = s[7];\nf([1, 2]);\n');
    await press('run');
    assert.match(await output(), /run-time error in f.*out of bounds/);
  },
  async 'shows steps'() {
    await write('{sum(row) : row in [[1, 2], [3]]};');
    await press('show');
    assert.equal(await evaluate('document.getElementById("steps").hidden'), false);
    assert.match(await evaluate('document.getElementById("steps").srcdoc'), /class="strip"/);
    await new Promise(resolve => setTimeout(resolve, 500));
    await picture('show.png');
  },
  async 'measures work and depth'() {
    await expression('sum(iseq(0, 1, n))');
    await press('cost');
    assert.match(await output(), /work +depth[\s\S]*\n +1000 +2002 +2 [\s\S]*order/);
    assert.equal(await evaluate('document.getElementById("plot").hidden'), false);
    await picture('cost.png');
    await expression('');
  },
  async 'formats'() {
    await write('let   a=1 in a   +2;\n');
    await press('format');
    assert.equal(await evaluate('document.getElementById("program").value'), 'let a = 1 in a + 2;\n');
  },
  async 'runs tests'() {
    await write('test "adds" = 1 + 1 == 2;\ntest "fails" = 1 + 1 == 3;\n');
    await press('test');
    assert.match(await output(), /fails/);
    assert.match(await status(), /^failed/);
  },
  async 'stops a program that does not end, and runs the next one'() {
    await write('function f(x) = f(x + 1) + 1;\nfunction g(x) = if x < 0 then 0 else g(x + 1 - 1);\ng(1);\n');
    await evaluate('void neslPlayground.actions.run()');
    await new Promise(resolve => setTimeout(resolve, 300));
    await press('stop');
    assert.match(await output(), /stopped/);
    await write('1 + 2;');
    await press('run');
    assert.match(await output(), /it = 3 : int/);
  },
  async 'shares a program by its address'() {
    const text = '% ü % {x * x : x in [1, 2, 3]};\n';
    const fragment = await evaluate(`neslPlayground.fragmentOf(${JSON.stringify(text)})`);
    assert.match(fragment, /^#program=[-\w]+$/);
    await open(fragment);
    assert.equal(await evaluate('document.getElementById("program").value'), text);
    await open('#program=damaged');
    assert.match(await output(), /The address contains no program/);
  },
};

async function main() {
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  session = (await send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
  await send('Page.enable', {}, session);
  for (const [name, step] of Object.entries(steps)) {
    console.log(name);
    await step();
  }
}

main().then(() => 0, failure => {
  console.log(failure.stack);
  return 1;
}).then(code => {
  child.on('exit', () => {
    fs.rmSync(profile, {recursive: true, force: true});
    process.exit(code);
  });
  child.kill();
});
