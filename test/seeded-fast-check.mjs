// fast-check with a fixed seed: `npm test` tries the same cases each time, so that a failure is caused by the change,
// and `npm run soak` tries others (SHIPLOG_SEED), and more of them (SHIPLOG_CASES times as many).
import fc from '../node_modules/fast-check/lib/fast-check.js';

const SEED = 20_260_901;
const times = Number(process.env.SHIPLOG_CASES ?? 1);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SHIPLOG_SEED ?? SEED) });

export * from '../node_modules/fast-check/lib/fast-check.js';
const seeded = { ...fc, assert: (property, options) => fc.assert(property, manyTimes(options)) };
export default seeded;

function manyTimes(options = {}) {
  return { ...options, numRuns: (options.numRuns ?? 100) * times };
}
