// Seeds the history of the sandbox, or that of one of several, into the data directory that is the first argument, in its
// own process: its memory is released at once, and ending the parent ends it too.
import './register.mjs';

const { seedRecordedHistory } = await import('../server/runtime/seed-recorder.ts');
const { sandboxesFolder } = await import('../server/shared/sandbox-folder.ts');
const { silentLogger } = await import('../server/shared/log.ts');
const { dataDirOf } = await import('../sandbox/sandboxes.ts');
const { CLUSTERS } = await import('../sandbox/seed/fleet/fleet.ts');

const [dataDir, name] = process.argv.slice(2);

process.once('disconnect', () => process.exit(1));
try {
  await seedRecordedHistory({
    ...placeOf(CLUSTERS.find((cluster) => cluster.name === name)),
    log: silentLogger,
    onProgress: (share) => process.send?.({ share }),
  });
  process.exit(0);
} catch (error) {
  process.send?.({ error: error.message });
  process.exitCode = 1;
  process.disconnect?.();
}

function placeOf(cluster) {
  if (cluster === undefined) return { dataDir };
  const { fleet, delayMs } = cluster;
  return { dataDir: dataDirOf(dataDir, cluster), archiveDir: sandboxesFolder(dataDir), fleet, delayMs };
}
