// Plays the sandbox's story into the data directory that is its argument, as a process of its own: what a play takes in
// memory is given back at once, and who ends the parent ends the play with it.
import './register.mjs';

const { playRecorded } = await import('../server/recorded-story.ts');
const { silentLogger } = await import('../server/log.ts');

process.once('disconnect', () => process.exit(1));
try {
  await playRecorded({
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
