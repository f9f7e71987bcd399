// Seeds the sandbox's history into the data directory that is its argument, in its own process: its memory is
// released at once, and ending the parent ends it too.
import './register.mjs';

const { seedRecordedHistory } = await import('../server/runtime/seed-recorder.ts');
const { silentLogger } = await import('../server/shared/log.ts');

process.once('disconnect', () => process.exit(1));
try {
  await seedRecordedHistory({
    dataDir: process.argv[2],
    log: silentLogger,
    onProgress: (share) => process.send?.({ share }),
  });
  process.exit(0);
} catch (error) {
  process.send?.({ error: error.message });
  process.exitCode = 1;
  process.disconnect?.();
}
