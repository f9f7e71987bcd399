import { expect, test } from 'vitest';
import { kindTitle } from '@/lib/workloads/kinds/table';
import { stateTable } from '@/lib/engine/state';
import { underRolloutTable } from '@/lib/engine/under-rollout';
import type { WorkloadStatus } from '@/lib/engine/status';
import { deriveView } from '@/server/views/workload-view';
import { Replay } from '@/test/replay/replay';
import { situations } from '@/test/replay/situations/situations';

interface Example {
  kind: string;
  status: WorkloadStatus;
}

/** The first workload in each state, by the reason: of the generated situations, the first stream of each kind. */
async function findExamples(reasons: readonly string[]): Promise<Map<string, Example>> {
  const rest = new Set(reasons);
  const examples = new Map<string, Example>();
  for (const recordings of situations.values()) {
    const [recording] = recordings();
    if (recording === undefined || rest.size === 0) continue;
    const { lines } = recording;
    const replay = Replay.startUnrecorded(recording);
    const { cluster, now } = replay.context;
    const isMark = (index: number) => {
      const line = lines[index];
      return line !== undefined && 'act' in line && line.act.startsWith('mark: ');
    };
    await replay.visitMoments(isMark, () => {
      for (const workload of cluster.cache.workloads()) {
        const { kind, status } = deriveView(cluster, workload, now());
        const title = kindTitle({ resource: kind.resource.id, kind: kind.resource.kind });
        if (rest.delete(status.reason)) examples.set(status.reason, { kind: title, status });
      }
      return Promise.resolve();
    });
  }
  return examples;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function printExample({ kind, status }: Example): string {
  return cell(`${kind}: ${status.message}`);
}

function printSource(source: string): string {
  return source.startsWith('https://') ? `[source](${source})` : source;
}

test('docs/states.md has every row of the tables, each with an example that is reached', async () => {
  const rows = [...stateTable, ...underRolloutTable];
  const examples = await findExamples(rows.map(({ reason }) => reason));
  expect(rows.filter(({ reason }) => !examples.has(reason)).map(({ reason }) => reason)).toEqual([]);
  const example = (reason: string) => {
    const found = examples.get(reason);
    return found === undefined ? '' : printExample(found);
  };
  const own = stateTable.map(({ reason, state, when, source }) => {
    const name = typeof state === 'string' ? `\`${state}\`` : 'as reported';
    return `| ${name} | \`${reason}\` | ${cell(when)} | ${example(reason)} | ${printSource(source)} |`;
  });
  const under = underRolloutTable.map(({ reason, rollout, state, when }) => {
    const rollouts = rollout.map((each) => `\`${each}\``).join(', ');
    return `| ${rollouts} | \`${state}\` | \`${reason}\` | ${cell(when)} | ${example(reason)} |`;
  });
  await expect(`# States of a workload

Every kind states facts (\`lib/workloads\`), and one table decides what they mean (\`lib/engine/state.ts\`): the first row
whose condition holds. This page is printed from the table by \`test/replay/states.test.ts\`; each example is the first of the
generated situations that reaches its row.

| State | Reason | When | Example | |
|---|---|---|---|---|
${own.join('\n')}

## While a progressive rollout moves the workload

The first row that applies; without one the workload's own state stands, as it does where the workload is in trouble by
itself (\`stuck\`, \`deadlineExceeded\`, \`degraded\`, \`unknown\`).

| The rollout is | State | Reason | When | Example |
|---|---|---|---|---|
${under.join('\n')}
`).toMatchFileSnapshot('../../docs/states.md');
}, 120_000);
