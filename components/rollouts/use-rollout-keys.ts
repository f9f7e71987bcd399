'use client';

import { useRouter } from 'next/navigation';
import { isSame } from '@/components/rollouts/open-rollouts';
import type { RolloutChoice } from '@/components/rollouts/rollout-choices';
import { useShortcuts } from '@/components/ui/shortcuts';
import type { RolloutItem } from '@/lib/api/rollouts';
import { comparisonOf, comparisonPath } from '@/components/queries/revision-comparison';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath } from '@/components/queries/workload-ref';
import type { RolloutActionName } from '@/lib/api/action-values';
import { stepNoun } from '@/lib/rollout/style-text';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { showRefusal } from '@/components/shared/show-refusal';

/** The keys of a rollout's page: each triggers the button that shows it. */
export function useRolloutKeys(
  rollout: RolloutItem,
  {
    others,
    step,
    onStep,
    choices,
    onAction,
  }: {
    others: readonly RolloutItem[];
    step: number | null;
    onStep: (step: number | null) => void;
    choices: readonly RolloutChoice[];
    onAction: (action: RolloutActionName) => void;
  },
): void {
  const router = useRouter();
  const at = others.findIndex((other) => isSame(other, rollout));
  const goTo = (index: number) => {
    const next = others[Math.max(0, Math.min(others.length - 1, index))];
    if (next && !isSame(next, rollout)) router.push(rolloutPagePath(next));
  };
  const press = ({ action, label, href, refusal }: RolloutChoice) => {
    if (refusal !== null) showRefusal(label, refusal);
    else if (href !== null) router.push(href);
    else onAction(action);
  };
  const stepBy = (by: number) => {
    const from = step ?? (by > 0 ? rollout.step.index - 1 : rollout.step.index + 1);
    onStep(Math.max(1, Math.min(rollout.steps.length, from + by)));
  };
  // The footer has no key of a disabled action.
  const shortcutOf = (choice: RolloutChoice) => ({
    label: choice.label,
    hint: choice.refusal === null ? choice.legend : undefined,
    run: () => press(choice),
  });
  const noun = stepNoun(rollout);
  const { resource, name } = rollout.workload;
  const workload =
    resource === null ? null : { cluster: rollout.cluster, resource, namespace: rollout.namespace, name };
  const comparison = comparisonOf(rollout);
  useShortcuts({
    j: { label: 'Next rollout in progress', hint: 'rollout', run: () => goTo(at + 1) },
    k: {
      label: 'Previous rollout in progress',
      hint: 'rollout',
      run: () => goTo(at === -1 ? 0 : at - 1),
    },
    arrowleft: { label: `Pods of the previous ${noun}`, hint: noun, run: () => stepBy(-1) },
    arrowright: { label: `Pods of the next ${noun}`, hint: noun, run: () => stepBy(1) },
    escape: { label: 'Pods of all steps', run: () => onStep(null) },
    ...Object.fromEntries(
      choices.flatMap((choice) => (choice.key === undefined ? [] : [[choice.key, shortcutOf(choice)]])),
    ),
    ...(comparison !== null && {
      c: {
        label: 'Compare both revisions',
        hint: 'compare',
        run: () => router.push(comparisonPath(comparison)),
      },
    }),
    ...(workload !== null && {
      w: { label: 'Open workload', hint: 'workload', run: () => router.push(workloadPagePath(workload)) },
    }),
    y: { label: 'Copy link', run: () => void copyWithToast(window.location.href, 'Link copied') },
  });
}
