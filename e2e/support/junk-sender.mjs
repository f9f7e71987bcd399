// A worker: sends requests with credentials that no one has, at a steady rate, and counts the answers by status.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { port, tokensPerSecond, addresses, cookies, seconds } = workerData;
const TICK_MS = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 4_000 });
const statuses = {};
let open = 0;
let sent = 0;

function send(method, path, headers, body) {
  open += 1;
  sent += 1;
  const address = `10.0.${sent % addresses}.1`;
  const done = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    open -= 1;
  };
  const all = { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers };
  const sending = request({ host: '127.0.0.1', port, method, path, headers: all, agent }, (answer) => {
    answer.resume();
    answer.on('end', () => done(answer.statusCode));
  });
  sending.on('error', (error) => done(error.code));
  sending.end(body);
}

const value = (bytes) => randomBytes(bytes).toString('base64url');

const kinds = {
  signIn: () => send('POST', '/api/session', {}, JSON.stringify({ token: value(30) })),
  bearer: () => send('GET', '/api/workloads', { authorization: `Bearer ${value(30)}` }),
  /** In the form of earlier versions, and with a checksum that is wrong. */
  oldCookie: () => send('GET', '/api/workloads', { cookie: `shiplog-${port}=${value(32)}` }),
  cookie: () => send('GET', '/api/workloads', { cookie: `shiplog-${port}=${value(32)}.${value(16)}` }),
};

const startMs = performance.now();
let [tokens, junkCookies] = [0, 0];
const timer = setInterval(() => {
  const passed = (performance.now() - startMs) / 1_000;
  const share = Math.min(1, passed / seconds);
  while (tokens < share * tokensPerSecond * seconds) kinds[(tokens += 1) % 2 === 0 ? 'signIn' : 'bearer']();
  while (junkCookies < share * cookies) kinds[(junkCookies += 1) % 2 === 0 ? 'oldCookie' : 'cookie']();
  if (share < 1 || open > 0) return;
  clearInterval(timer);
  agent.destroy();
  parentPort.postMessage({ statuses, sent: { tokens, cookies: junkCookies } });
}, TICK_MS);
