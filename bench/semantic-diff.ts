import { diff as jsondiffpatchDiff } from 'jsondiffpatch';
import microdiff from 'microdiff';
import { stringify } from 'yaml';
import { atMost, count, type Metric, milliseconds, plain, times } from '@/bench/support/figure';
import { median } from '@/bench/support/statistics';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { JsonObject } from '@/lib/kube/json';

const LINES = 2_000;
const ROUNDS = 200;

/** Comparing two templates of 2,000 lines of YAML that differ in some forty places. */
export function measureDiff(): Promise<Metric[]> {
  const [before, after] = [template(false), template(true)];
  const lines = stringify(before).split('\n').length;
  if (lines < LINES) throw new Error(`The template has only ${lines} lines.`);
  const own = timeOf(() => diffTemplates(before, after));
  const micro = timeOf(() => microdiff(before, after));
  const patch = timeOf(() => jsondiffpatchDiff(before, after));
  return Promise.resolve([
    atMost('Semantic diff of two templates of 2,000 lines', own, 5, milliseconds),
    plain('… against microdiff, on the same objects', `${times(own / micro)} its ${milliseconds(micro)}`),
    plain('… against jsondiffpatch', `${times(own / patch)} its ${milliseconds(patch)}`),
    plain(
      'Changes: semantic, microdiff',
      [diffTemplates(before, after).changes, microdiff(before, after)]
        .map((changes) => count(changes.length))
        .join(', '),
    ),
  ]);
}

/** Median milliseconds, warm. */
function timeOf(work: () => unknown): number {
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) {
    const start = performance.now();
    work();
    durations.push(performance.now() - start);
  }
  return median(durations.slice(ROUNDS));
}

function template(changed: boolean): JsonObject {
  return {
    metadata: { labels: { app: 'shop' }, annotations: { 'example.com/build': changed ? '812' : '811' } },
    spec: {
      containers: Array.from({ length: 14 }, (_, index) => container(index, changed)),
      volumes: Array.from({ length: 70 }, (_, index) => ({
        name: `volume-${index}`,
        configMap: { name: `config-${index}`, ...(changed ? { defaultMode: 420 } : {}) },
      })),
      serviceAccountName: 'shop',
    },
  };
}

/** In `changed`, defaults are filled in as a server does, one variable is moved, one removed, one added. */
function container(index: number, changed: boolean): JsonObject {
  const env = Array.from({ length: 50 }, (_, place) => ({
    name: `SETTING_${place}`,
    value: `${index}-${place}`,
  }));
  if (changed) env.splice(index, 1, { name: `ADDED_${index}`, value: 'yes' });
  return {
    name: `part-${index}`,
    image: `registry.example.com/shop/part-${index}:${changed ? '1.5.0' : '1.4.2'}`,
    env,
    ports: [{ name: 'http', containerPort: 8080, ...(changed ? { protocol: 'TCP' } : {}) }],
    resources: {
      limits: { memory: changed ? '1Gi' : '1024Mi', cpu: '1' },
      requests: { memory: '512Mi', cpu: '250m' },
    },
    volumeMounts: Array.from({ length: 5 }, (_, place) => ({
      name: `volume-${index * 5 + place}`,
      mountPath: `/etc/part/${place}`,
      readOnly: true,
    })),
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5 },
  };
}
