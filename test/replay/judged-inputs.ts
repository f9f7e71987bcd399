import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, constants } from 'node:zlib';
import type { KubeObject } from '@/lib/kube/object';
import { corrections } from '@/test/replay/corrections';
import { unknownSentences } from '@/test/replay/facts/codes';
import { subjectsAt } from '@/test/replay/facts/read-facts';
import { readRecordFacts } from '@/test/replay/facts/record-facts';
import { type GoldenLine, Judge } from '@/test/replay/judge';
import type { RecordedLine, Recording } from '@/test/replay/recording';
import { Replay } from '@/test/replay/replay';
import { situations } from '@/test/replay/situations/situations';

const FOLDER = join(import.meta.dirname, 'golden');
const CORRECTED = join(import.meta.dirname, 'corrected');
const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 };
/** A fault in one rule may show in thousands of rows. */
const FAULTS_MAX = Number(process.env.FAULTS ?? 40);

export interface JudgedInput {
  name: string;
  recording: Recording;
  /** Facts are read at marks, and when nothing changes for so long. */
  restMs: number;
  /** `late`: it begins to watch at the second mark, and workloads are told as without a right to list pods. */
  recorder: 'whole' | 'late' | 'none';
}

/** The lines of a golden file, by input: each begins with its name. Only what a rule changed has a file in `corrected/`. */
function readGolden(name: string, folder = FOLDER): ReadonlyMap<string, readonly GoldenLine[]> {
  const lines = new Map<string, GoldenLine[]>();
  const file = join(folder, `${name}.jsonl.br`);
  if (folder === CORRECTED && !existsSync(file)) return lines;
  let current: GoldenLine[] = [];
  for (const text of brotliDecompressSync(readFileSync(file), { params }).toString().trim().split('\n')) {
    const line = JSON.parse(text) as GoldenLine | string;
    if (typeof line === 'string') lines.set(line, (current = []));
    else current.push(line);
  }
  return lines;
}

/** Hears the facts of every moment of an input. */
async function judge(
  input: JudgedInput,
  golden: readonly GoldenLine[],
  set: string,
  corrected: readonly GoldenLine[],
): Promise<Judge> {
  const { name, recording, restMs, recorder } = input;
  const { lines, startMs } = recording;
  const result = new Judge(name, golden, corrections, set, corrected);
  const replay = await startReplay(input);
  const { cluster, now } = replay.context;
  let before = new Set<string>();
  let eventsBefore = new Map<string, number>();
  const actOf = (line: RecordedLine | undefined) => (line !== undefined && 'act' in line ? line.act : null);
  const isMark = (index: number) =>
    index === lines.length - 1 || actOf(lines[index])?.startsWith('mark: ') === true;
  const isMoment = (index: number) =>
    isMark(index) || (lines[index + 1]?.t ?? 0) - (lines[index]?.t ?? 0) >= restMs;
  await replay.visitMoments(isMoment, async (index) => {
    const line = lines[index];
    const at = `${index} ${actOf(line) ?? `${((line?.t ?? 0) / 1000).toFixed(1)} s`}`;
    const moment = {
      cluster,
      nowMs: now(),
      startMs,
      isBrief: recorder === 'none',
      isBlind: recorder === 'late',
    };
    const subjects = subjectsAt(moment);
    let byNamespace: Partial<Record<string, KubeObject[]>> | undefined;
    const sceneIn = (namespace: string) => () => {
      byNamespace ??= Object.groupBy(
        replay.cluster.objects.values(),
        ({ metadata }) => metadata.namespace ?? '',
      );
      return { objects: byNamespace[namespace] ?? [], startMs, nowMs: moment.nowMs };
    };
    for (const { name: of, namespace, readFacts } of subjects) {
      const isUnchanged = eventsBefore.get(namespace) === replay.cluster.eventCounts.get(namespace);
      if (isUnchanged && !result.isOpen(at, of)) continue;
      result.hear(at, of, readFacts(), sceneIn(namespace));
    }
    eventsBefore = new Map(replay.cluster.eventCounts);
    const present = new Set(subjects.map(({ name: of }) => of));
    for (const of of before) if (!present.has(of)) result.hear(at, of, null);
    before = present;
    if (recorder === 'none' || !isMark(index)) return;
    await replay.settleRecords();
    for (const record of replay.archive.records.values()) {
      const { resource, namespace, name: workload } = record.workload;
      result.hear(
        at,
        `record ${resource} ${namespace}/${workload} ${record.activation}`,
        readRecordFacts(record, startMs),
        sceneIn(namespace),
      );
    }
  });
  result.end();
  result.faults.push(...[...unknownSentences].map((sentence) => `${name}: no code for "${sentence}"`));
  return result;
}

function startReplay({ recording, recorder }: JudgedInput): Replay | Promise<Replay> {
  if (recorder === 'none') return Replay.startUnrecorded(recording);
  if (recorder === 'whole') return Replay.start(recording);
  const [, second = ''] = Replay.startUnrecorded(recording).marks;
  return Replay.startWithArchive(recording, second, () => Promise.resolve());
}

/** The same, seen with fewer rights and from a later start; its Argo Rollouts have been restarted long ago. */
export function lateInput(name: string, recording: Recording): JudgedInput {
  const at = new Date(recording.startMs - 3_600_000).toISOString();
  const lines = recording.lines.map((line) => {
    if (!('object' in line) || !line.object.apiVersion.startsWith('argoproj.io/')) return line;
    const { spec, status, ...object } = line.object;
    const restarted = { spec: { ...spec, restartAt: at }, status: { ...status, restartedAt: at } };
    return { ...line, object: { ...object, ...restarted } };
  });
  return { name, recording: { ...recording, lines }, restMs: Infinity, recorder: 'late' };
}

/** What Shiplog says otherwise than the golden file of a name, in each of its inputs; the first faults of many. */
export async function faultsOf(name: string, inputs: readonly JudgedInput[]): Promise<string[]> {
  const golden = readGolden(name);
  const corrected = readGolden(name, CORRECTED);
  const missing = [...golden.keys()].filter((input) => inputs.every((each) => each.name !== input));
  const faults = missing.map((input) => `${input}: no longer there`);
  for (const input of inputs)
    faults.push(
      ...(await judge(input, golden.get(input.name) ?? [], name, corrected.get(input.name) ?? [])).faults,
    );
  return faults.slice(0, FAULTS_MAX);
}

/** The generated situations of a kind or system: many, so rollbacks and pods are told in brief and nothing is recorded. */
export function situationInputs(kind: string): JudgedInput[] {
  const recordings = situations.get(kind)?.() ?? [];
  return recordings.map((recording, index) => ({
    name: `${kind} ${index}`,
    recording,
    restMs: Infinity,
    recorder: 'none',
  }));
}
