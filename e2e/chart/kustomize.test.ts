import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { containerOf, type RenderedObject, objectsIn } from '@/e2e/chart/rendered';
import { findKubectl } from '@/e2e/controlplane/build';
import { renderChart } from '@/e2e/controlplane/helm';

const folder = fileURLToPath(new URL('../../deploy/kustomize/', import.meta.url));

async function build(path: string): Promise<RenderedObject[]> {
  const { status, stdout, stderr } = spawnSync(await findKubectl(), ['kustomize', folder + path], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

  return objectsIn(stdout);
}

/** `npm run docs:chart` writes it. */
it('the base is what the chart renders with its defaults', async () => {
  const text = await renderChart({ tests: { enabled: false }, persistence: { keep: false } });
  const withoutHelm = text
    .split('\n')
    .filter((line) => !/^# Source: |^ +helm\.sh\/|^ +app\.kubernetes\.io\/managed-by: |^\s*$/.test(line));
  const head = '# Written by `npm run docs:chart` from deploy/chart/shiplog.\n';
  await expect(`${head}${withoutHelm.join('\n')}\n`).toMatchFileSnapshot(`${folder}base/shiplog.yaml`);
});

it('an overlay changes image and variables, and stays in the namespace of the base', async () => {
  const objects = await build('overlays/team');
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as RenderedObject;
  expect(deployment.metadata.namespace).toBe('shiplog');
  expect(containerOf(deployment)).toMatchObject({
    image: 'registry.example/shiplog:0.1.0',
    env: expect.arrayContaining([
      { name: 'SHIPLOG_PUBLIC_URL', value: 'https://shiplog.example' },
    ]) as unknown,
  });
  expect(objects.map(({ kind }) => kind).sort()).toEqual(
    (await build('base')).map(({ kind }) => kind).sort(),
  );
});
