import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askRoutes } from '@/test/secrets/ask-routes';
import { PlantedShiplog } from '@/test/secrets/planted-shiplog';
import { SecretMaker } from '@/test/secrets/secret-maker';

test('nothing that leaves Shiplog or is stored for reading holds a credential', async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (random) => {
      const secrets = new SecretMaker(random);
      const shiplog = new PlantedShiplog(secrets);
      try {
        await shiplog.play();
        const silent = await askRoutes(shiplog, secrets);
        await shiplog.readDisk();
        expect([...shiplog.leaks]).toEqual([]);
        // A route that answers nothing proves nothing.
        expect(silent).toEqual([]);
      } finally {
        await shiplog.close();
      }
    }),
    // A smaller case takes as long as this one.
    { numRuns: 3, endOnFailure: true },
  );
}, 120_000);
