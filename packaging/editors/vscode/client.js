// A client of a language server: JSON-RPC messages with a child process.
'use strict';

const { spawn } = require('child_process');

/** An error in the answer to a request, with the code of the protocol. */
class ResponseError extends Error {
  constructor(error) {
    super(error.message);
    this.code = error.code;
  }
}

/** Starts a server and exchanges messages with it. */
class Client {
  /**
   * @param {string} command
   * @param {string[]} args
   * @param {(method: string, parameters: any) => void} onNotification
   * @param {(reason: string | null) => void} onEnd called once: with a reason, or null after stop()
   */
  constructor(command, args, onNotification, onEnd) {
    this.onNotification = onNotification;
    this.onEnd = onEnd;
    this.pending = new Map();
    this.lastId = 0;
    this.received = Buffer.alloc(0);
    this.errors = '';
    this.stopping = false;
    this.ended = false;
    this.process = spawn(command, args, { stdio: 'pipe' });
    this.process.on('error', (error) => this.end(`${command} cannot be started: ${error.message}`));
    this.process.on('close', (status) => this.end(`${command} has ended with status ${status}. ${this.errors}`.trim()));
    this.process.stdin.on('error', () => {}); // the end of the process is reported
    this.process.stderr.on('data', (data) => { this.errors = (this.errors + data).slice(-2000); });
    this.process.stdout.on('data', (data) => this.receive(data));
  }

  end(reason) {
    if (this.ended) return;
    this.ended = true;
    for (const { reject } of this.pending.values()) reject(new ResponseError({ code: -32803, message: reason }));
    this.pending.clear();
    this.onEnd(this.stopping ? null : reason);
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const header = this.received.indexOf('\r\n\r\n');
      if (header < 0) return;
      const length = /^content-length: *(\d+)/im.exec(this.received.toString('latin1', 0, header));
      const begin = header + 4;
      const end = begin + Number(length[1]);
      if (this.received.length < end) return;
      const message = JSON.parse(this.received.toString('utf8', begin, end));
      this.received = this.received.subarray(end);
      this.handle(message);
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      this.onNotification(message.method, message.params);
      return;
    }
    const waiting = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (waiting === undefined) return;
    if (message.error) waiting.reject(new ResponseError(message.error));
    else waiting.resolve(message.result);
  }

  send(message) {
    if (this.ended) return;
    const content = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.process.stdin.write(`Content-Length: ${content.length}\r\n\r\n`);
    this.process.stdin.write(content);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  /** The result of a request. A cancellation token of the editor cancels it. */
  request(method, params, token) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(new ResponseError({ code: -32803, message: 'the language server has ended' }));
        return;
      }
      this.pending.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
    });
  }

  /** Shuts the server down. */
  async stop() {
    if (this.ended) return;
    this.stopping = true;
    await this.request('shutdown', null).catch(() => {});
    this.notify('exit', null);
    this.process.stdin.end();
  }
}

module.exports = { Client, ResponseError };
