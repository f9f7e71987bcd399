import { formatRevision, type Revision } from '@/lib/history/revision';
import { capitalize, formatAll, formatCount, formatList } from '@/lib/format/text';
import type { Evidence } from '@/lib/engine/evidence';
import type { WorkloadFacts } from '@/lib/engine/facts';
import type { StateReason } from '@/lib/engine/reasons';
import type { Verdict } from '@/lib/engine/state';
import { describeServing, formatTarget, joinSentences } from '@/lib/messages/target';
import { describeReason, describeReasonInFull, describeStarting, shortenMessage } from '@/lib/messages/pods';

/** `message` follows the name of the state, without a full stop; `sentence` stands alone. */
interface StateText {
  message: string;
  sentence: string;
}

type Describe = (facts: WorkloadFacts, verdict: Verdict, evidence: Evidence) => StateText;

/** What each reason says. */
const TEXTS: Readonly<Record<StateReason, Describe>> = {
  deleting: ({ workload }) => ({
    message: 'being deleted',
    sentence: `${workload.name} is being deleted.`,
  }),
  unobserved: () => fromMessage('waiting for the controller to observe the last change'),
  unobservedLong: () => ({
    message: 'the controller has not observed the last change',
    sentence: 'The controller has not observed the last change, so the state of its rollout is unknown.',
  }),
  reported: ({ report }) => ({ message: report?.message ?? '', sentence: report?.sentence ?? '' }),
  scaledDown: ({ workload, unit }) =>
    unit === 'node'
      ? {
          message: 'no matching node',
          sentence: `No node matches the scheduling rules of ${workload.name}.`,
        }
      : { message: 'scaled to 0', sentence: `${workload.name} is scaled to 0.` },
  blockedWhileMoved: describeBlocked,
  moved: describeMoved,
  paused: describePaused,
  blockedAtDeadline: describeBlocked,
  deadline: describeDeadline,
  pendingDeletion: describePendingDeletion,
  held: describeHeld,
  finished: describeFinished,
  cannotChangePods: describeBlocked,
  cannotChangePodsAfterwards: describeBlocked,
  awaitsPod: describeAwaitedPod,
  scaling: describeScaling,
  blockedAfterwards: describeDegraded,
  unreadyAfterwards: describeDegraded,
  blocked: describeBlocked,
  noRevision: ({ progress, waitsForDeletion }) =>
    fromMessage(
      (waitsForDeletion ? progress.waitsFor : null) ?? 'waiting for the controller to create a revision',
    ),
  updating: describeUpdating,
};

/** The words of a verdict. */
export function describeState(evidence: Evidence, verdict: Verdict): StateText {
  return TEXTS[verdict.reason](evidence.facts, verdict, evidence);
}

function fromMessage(message: string): StateText {
  return { message, sentence: `${capitalize(message)}.` };
}

function describeMoved(facts: WorkloadFacts): StateText {
  const { history, counts, movedBy } = facts;
  const rollout = movedBy?.rollout ?? '';
  const ready = `${counts.ready} of ${formatCount(counts.desired, 'pod')}`;
  if (history.target === null && movedBy?.by === 'pause')
    return {
      message: `Rollout ${rollout} runs the new template on separate pods first; ${counts.ready} of ${counts.desired} ready`,
      sentence: `Rollout ${rollout} runs the new template on separate pods first, so it has no revision yet. ${ready} of the workload are ready.`,
    };
  const desired = formatCount(facts.progress.desired, facts.unit);
  const updated = `${facts.progress.updated} of ${desired}`;
  return {
    message: `Rollout ${rollout}: ${updated} on ${formatTarget(history)}`,
    sentence: joinSentences(
      `Rollout ${rollout} updates the pods in steps: ${updated} ${runsOrRun(facts.progress.updated)} ${formatTarget(history)}, ${ready} are ready.`,
      describeServing(facts),
    ),
  };
}

function describePaused(facts: WorkloadFacts): StateText {
  const { history, counts, progress } = facts;
  if (history.target === null)
    return {
      message: `the current template is not rolled out; ${counts.ready} of ${counts.desired} ready`,
      sentence: 'The current template has no revision until the workload is resumed.',
    };
  const next =
    progress.updated < progress.desired
      ? 'The rollout continues when it is resumed.'
      : 'No rollout starts until it is resumed.';
  return {
    message: `${counts.updated} of ${formatCount(counts.desired, 'pod')} on ${formatTarget(history)}`,
    sentence: `${next} ${describeCounts(facts)}`,
  };
}

/** Past its deadline, without a known reason. */
function describeDeadline({ history, counts, deadline, servingRevision }: WorkloadFacts): StateText {
  const { target } = history;
  const seconds = deadline?.seconds ?? 0;
  const within = `within the ${formatLimit(seconds, '-minute', '-second')} progress deadline.`;
  return {
    message: `progress deadline (${formatLimit(seconds, ' min', ' s')}) exceeded; ${counts.available} of ${counts.desired} available`,
    sentence: joinSentences(
      target === null || target.pods.total === 0
        ? `${capitalize(describeTarget(target))} ${within}`
        : `${target.pods.ready} of ${formatCount(target.pods.total, 'pod')} of ${formatTarget(history)} became ready ${within}`,
      describeServing({ history, counts, servingRevision }),
    ),
  };
}

/** "10-minute", "90-second"; with other units "10 min". */
function formatLimit(seconds: number, minuteUnit: string, secondUnit: string): string {
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60}${minuteUnit}` : `${seconds}${secondUnit}`;
}

function describePendingDeletion(facts: WorkloadFacts, _: Verdict, { outdated }: Evidence): StateText {
  const names = formatList(outdated.map(({ name }) => name));
  const isOne = outdated.length === 1;
  const { ready, desired } = facts.counts;
  return {
    message: `${formatCount(outdated.length, 'pod')} to delete: ${names}`,
    sentence: `The update strategy is OnDelete: ${names} ${isOne ? 'runs' : 'run'} an older revision until deleted; the new ${isOne ? 'pod' : 'pods'} will run ${formatTarget(facts.history)}. ${ready} of ${formatCount(desired, 'pod')} are ready.`,
  };
}

function describeHeld(facts: WorkloadFacts): StateText {
  const { hold, progress, history } = facts;
  if (hold === null) return fromMessage('held');
  const { desired } = progress;
  const head =
    progress.goal === 0
      ? `${capitalize(hold.subject)} holds ${desired === 1 ? `the only ${facts.unit}` : `all ${formatCount(desired, facts.unit)}`}, and ${desired === 1 ? 'it is' : 'all are'} ready: ${hold.stays}.`
      : `${progress.updated} of ${formatCount(desired, facts.unit)} ${runsOrRun(progress.updated)} ${formatTarget(history)} and all are ready; ${hold.subject} holds the rest: ${hold.stays}.`;
  return { message: `${hold.name}: ${hold.stays}`, sentence: joinSentences(head, hold.note ?? null) };
}

function describeFinished({ history, progress, unit, counts }: WorkloadFacts): StateText {
  const { desired } = progress;
  const on = formatTarget(history);
  const size = formatCount(counts.desired / desired, 'pod');
  const all = formatAll(desired, unit);
  const sentences = {
    pod: [`The only pod runs ${on} and is ready.`, `${all} run ${on} and are ready.`],
    node: [
      `The only matching node runs ${on}, and its pod is ready.`,
      `${all} run ${on}, and every pod is ready.`,
    ],
    group: [
      `The only group of ${size} runs ${on} and is ready.`,
      `${all} of ${size} run ${on} and are ready.`,
    ],
  } as const;
  const [one, several] = sentences[unit];
  return {
    message:
      unit === 'group'
        ? `${desired} of ${formatCount(desired, unit)} ready`
        : `${counts.ready} of ${desired} ready`,
    sentence: desired === 1 ? one : several,
  };
}

function describeAwaitedPod(
  { awaitedPod, history, counts }: WorkloadFacts,
  { blockers }: Verdict,
): StateText {
  const name = awaitedPod?.name ?? '';
  const revision = history.revisionOfPod.get(awaitedPod?.uid ?? '');
  const on = revision === undefined ? 'another revision' : `revision ${formatRevision(revision)}`;
  return {
    message: `${name} blocks the update: ${describeReason(blockers)}`,
    sentence: `${name} runs ${on} and is not ready: ${describeReasonInFull(blockers)}. The ordered update waits for it and does not replace it: delete the pod to continue. ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready.`,
  };
}

function describeDegraded(
  facts: WorkloadFacts,
  { blockers }: Verdict,
  { lasting, starting }: Evidence,
): StateText {
  const { history, progress } = facts;
  const { serving, servingWord, desired } = progress;
  const waits = describeWaits(facts, starting);
  const affected = facts.namesPods && lasting.length > 0 ? nameAffected(facts, lasting) : null;
  const name = (separator: string) => (affected === null ? '' : affected + separator);
  const reason = blockers.length > 0 ? describeReason(blockers) : waits;
  const inFull = blockers.length > 0 ? describeReasonInFull(blockers) : waits;
  const pods = formatCount(desired, facts.unit === 'group' ? 'group' : 'pod');
  const only = `The rollout of ${formatTarget(history)} completed, but only ${serving} of ${pods} are ${servingWord}`;
  return {
    message: withDetail(formatServing(facts), reason === null ? null : `${name(': ')}${reason}`),
    sentence: inFull === null ? `${only}.` : `${only}: ${name(', ')}${inFull}.`,
  };
}

/** No rollout: the number of desired pods was raised. */
function describeScaling(facts: WorkloadFacts, _: Verdict, { starting }: Evidence): StateText {
  const { progress, history } = facts;
  const { serving, servingWord, desired } = progress;
  return {
    message: withDetail(formatServing(facts), describeWaits(facts, starting)),
    sentence: `It is being scaled: ${serving} of ${formatCount(desired, facts.unit)} of ${formatTarget(history)} are ${servingWord}.`,
  };
}

/** Pods cannot become ready, or cannot be created. */
function describeBlocked(facts: WorkloadFacts, { blockers }: Verdict): StateText {
  const { history, failure, namesPods, unit } = facts;
  const subject = describeTarget(history.target);
  const serving = describeServing(facts);
  if (failure !== null) {
    const reason = /exceeded quota/i.test(failure.message)
      ? 'quota exceeded'
      : `pods cannot be ${failure.verb}`;
    return {
      message: `${subject}; ${reason}`,
      sentence: joinSentences(`${capitalize(subject)}: ${shortenMessage(failure.message)}.`, serving),
    };
  }
  const reason = describeReason(blockers);
  const inFull = describeReasonInFull(blockers);
  const affected = namesPods ? nameAffected(facts, blockers) : null;
  return {
    message: `${affected === null ? `${subject};` : `${affected}:`} ${reason}`,
    sentence: joinSentences(
      affected !== null && unit === 'group'
        ? `${capitalize(affected)} cannot become ready on ${formatTarget(history)}: ${inFull}.`
        : `${capitalize(subject)}: ${inFull}.`,
      serving,
    ),
  };
}

function describeUpdating(facts: WorkloadFacts, _: Verdict, { starting }: Evidence): StateText {
  const { progress, unit, history } = facts;
  const { updated, goal, desired, old = 0, inPlace = 0, surge = 0 } = progress;
  const isUpdated = updated >= goal;
  const head = !isUpdated
    ? `${updated} of ${unit === 'pod' ? goal : formatCount(goal, facts.unit)} updated`
    : old > 0
      ? `${formatCount(old, 'old pod')} terminating`
      : formatServing(facts);
  const applied = inPlace === 0 ? '' : `, ${inPlace} of them updated in place`;
  const added = surge === 0 ? '' : `, with ${formatCount(surge, facts.unit)} temporarily added`;
  const { running, ready } = countPods(facts);
  const of = running > goal ? Math.max(running, desired) : goal;
  return {
    message: withDetail(head, describeWaits(facts, starting)),
    sentence: joinSentences(
      `${running} of ${formatCount(of, facts.unit)} updated to ${formatTarget(history)}${applied}, ${describeReady(ready, desired)}${added}.`,
      describeServing(facts),
    ),
  };
}

/** The kind knows better what groups wait for; of single pods, their own state says more than the controller does. */
function describeWaits({ unit, progress }: WorkloadFacts, starting: Evidence['starting']): string | null {
  const { waitsFor = null } = progress;
  const pods = describeStarting(starting);
  return unit === 'group' ? (waitsFor ?? pods) : (pods ?? waitsFor);
}

/**
 * How many run the target, and how many are ready: by the pods themselves, which the page also shows, since the controller
 * counts them later.
 */
function countPods({ unit, pods, history, progress, counts }: WorkloadFacts): {
  running: number;
  ready: number;
} {
  if (unit === 'group') return { running: progress.updated, ready: progress.serving };
  if (unit === 'node' || pods.length === 0) return { running: progress.updated, ready: counts.ready };
  const ready = history.revisions.reduce((sum, revision) => sum + revision.pods.ready, 0);
  return { running: history.target?.pods.total ?? 0, ready };
}

/** "2 of 3 are ready", "5 pods are ready in total": during a surge there are more than desired. */
function describeReady(ready: number, desired: number): string {
  return ready > desired
    ? `${formatCount(ready, 'pod')} are ready in total`
    : `${ready} of ${desired} are ready`;
}

/** "3 of 4 pods run revision 8, 3 of 4 are ready." */
function describeCounts(facts: WorkloadFacts): string {
  const { history, counts } = facts;
  const { running, ready } = countPods(facts);
  return `${running} of ${formatCount(counts.desired, 'pod')} ${runsOrRun(running)} ${formatTarget(history)}, ${describeReady(ready, counts.desired)}.`;
}

/** "group 3", or the names of the pods. */
function nameAffected({ nameAffected: name }: WorkloadFacts, blockers: Verdict['blockers']): string {
  return name?.(blockers) ?? formatList(blockers.map(({ pod }) => pod));
}

/** "2 of 3 available", "2 of 3 groups ready". */
function formatServing({ unit, progress }: WorkloadFacts): string {
  const { serving, servingWord, desired } = progress;
  return `${serving} of ${unit === 'group' ? formatCount(desired, unit) : desired} ${servingWord}`;
}

function withDetail(head: string, detail: string | null): string {
  return detail === null ? head : `${head}; ${detail}`;
}

function runsOrRun(amount: number): string {
  return amount === 1 ? 'runs' : 'run';
}

/** "0 of 6 pods of revision 43 are ready". */
function describeTarget(target: Revision | null): string {
  if (target === null) return 'the current template has no revision yet';
  const on = `revision ${formatRevision(target)}`;
  const { total, ready } = target.pods;
  if (total === 0) return `no pod of ${on} could be created`;
  if (total === 1) return `the only pod of ${on} is ${ready === 0 ? 'not ' : ''}ready`;
  return `${ready} of ${total} pods of ${on} ${ready === 1 ? 'is' : 'are'} ready`;
}
