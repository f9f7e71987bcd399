import { describe, expect, it } from 'vitest';
import { FLEET, FLEET_BEHAVIOURS } from '@/e2e/controlplane/fleet';
import { behaviourPattern, stageFile } from '@/e2e/controlplane/stages';

const crashes = (image: string, listed?: string[]) =>
  new RegExp(behaviourPattern('crash', listed === undefined ? {} : { crash: listed })).test(image);

describe('an image behaves as its tag says', () => {
  it.each(['app:crash', 'registry.example.com:5000/app:2.1.0-crash'])('%s crashes', (image) => {
    expect(crashes(image)).toBe(true);
  });

  it.each(['crash', 'crash:1.0', 'app:crash-2', 'app:uncrash', 'crash/app:1'])('%s does not', (image) => {
    expect(crashes(image)).toBe(false);
  });

  it('or because it is listed, with nothing in it read as a pattern', () => {
    expect(crashes('shop/app:1.0', ['shop/app:1.0'])).toBe(true);
    expect(crashes('shop/app:1x0', ['shop/app:1.0'])).toBe(false);
  });
});

it('every failing image of the fleet is used by one of its workloads', () => {
  const shipped = new Set(
    FLEET.flatMap(({ app, steps }) =>
      steps.map((step) => `${app.image}:${('change' in step ? step.change.tag : undefined) ?? app.tag}`),
    ),
  );

  for (const image of Object.values(FLEET_BEHAVIOURS).flat()) expect(shipped).toContain(image);
});

it('the stage file is a stream of documents that each parse', () => {
  const documents = stageFile(10250, FLEET_BEHAVIOURS).split('\n---\n');

  expect(documents.map((text) => (JSON.parse(text) as { kind: string }).kind)).toContain('Stage');
});
