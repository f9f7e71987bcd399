import { rolloutActionGlyphs } from '@/components/shared/rollout-action-glyphs';
import type { GlyphName } from '@/components/ui/glyph';
import type { RolloutItem } from '@/lib/api/rollouts';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { actionLabel, approveVerb, actionLabels } from '@/lib/rollout/action-labels';
import type { RolloutActionName } from '@/lib/api/action-values';
import { isOpenRollout } from '@/lib/api/rollout-values';

/** The actions of a rollout: its button, its key and the hint of that key are drawn from this one entry. */
export interface RolloutChoice {
  action: RolloutActionName;
  /** `refused`: no button, but the page says why it is not possible. */
  place: 'main' | 'beside' | 'refused' | 'more';
  label: string;
  glyph: GlyphName;
  /** Absent for actions without a key. */
  key?: string;
  /** Text of the key hint. */
  legend: string;
  /** The page of the workload where the action is done there; null where it is done here. */
  href: string | null;
  /** Why it can't be done now. */
  refusal: string | null;
}

const actionKeys: Readonly<Partial<Record<RolloutActionName, string>>> = {
  approve: 'a',
  pause: 'p',
  resume: 'p',
  rollback: 'x',
};

/** In the order of the buttons. `blocked`: why nothing can be written now. */
export function listChoices(rollout: RolloutItem, blocked: string | null): RolloutChoice[] {
  const { main, beside, more } = placeActions(rollout);
  const at = (place: RolloutChoice['place'], names: readonly RolloutActionName[]) =>
    names.flatMap((name) => choiceOf(rollout, name, place, blocked) ?? []);
  return [...at('main', main === null ? [] : [main]), ...at('beside', beside), ...at('more', more)];
}

function choiceOf(
  rollout: RolloutItem,
  name: RolloutActionName,
  place: RolloutChoice['place'],
  blocked: string | null,
): RolloutChoice | null {
  const action = rollout.actions.find((each) => each.name === name);
  if (action === undefined) return null;
  const choice = {
    action: name,
    place,
    glyph: rolloutActionGlyphs[name],
    key: actionKeys[name],
    legend: (name === 'approve' ? approveVerb(rollout) : actionLabels[name]).toLowerCase(),
  };
  const { resource, kind, name: workload, state } = rollout.workload;
  if (action.instead === 'workload' && resource !== null && state === 'found') {
    const { cluster, namespace } = rollout;
    const ref = { cluster, resource, namespace, name: workload };
    const href = workloadPagePath(ref, '?rollback=default');
    return { ...choice, label: `Roll back ${kind} ${workload}`, href, refusal: blocked };
  }
  const reason = action.allowed ? null : (action.reason ?? 'Not possible now.');
  const refusedPlace = reason !== null && place !== 'more' ? 'refused' : place;
  return {
    ...choice,
    place: refusedPlace,
    label: actionLabel(rollout, name),
    href: null,
    refusal: reason ?? blocked,
  };
}

/** Placement of each action: primary, secondary, or in the menu. */
interface ActionPlaces {
  main: RolloutActionName | null;
  beside: readonly RolloutActionName[];
  more: readonly RolloutActionName[];
}

/** The placement of the actions that make sense now. Whether each is allowed is stated with it. */
export function placeActions({ state, paused, disabled, actions }: RolloutItem): ActionPlaces {
  const offered = new Set(actions.map(({ name }) => name));
  const only = (names: readonly RolloutActionName[]) => names.filter((name) => offered.has(name));
  const allowed = (names: readonly RolloutActionName[]) => names.filter((name) => isPossible(actions, name));
  if (disabled) return { main: only(['enable'])[0] ?? null, beside: [], more: [] };
  if (state === 'terminating') return { main: null, beside: [], more: only(['disable', 'delete']) };
  const toggle: RolloutActionName = paused ? 'resume' : 'pause';
  if (state === 'failed') {
    // The spec still has what made it fail, and a retry rolls the same out again, so the rollback comes first.
    const [back, again] = [isPossible(actions, 'rollback'), isPossible(actions, 'retry')];
    return {
      main: again && !back ? 'retry' : (only(['rollback'])[0] ?? null),
      beside: again && back ? ['retry'] : [],
      more: allowed(['approve', 'promoteFull', 'jump', toggle, 'abort', 'restart', 'disable', 'delete']),
    };
  }
  if (paused)
    return {
      main: only(['resume'])[0] ?? null,
      beside: only(['rollback']),
      more: only(['approve', 'promoteFull', 'jump', 'abort', 'restart', 'disable', 'delete']),
    };
  if (state === 'rollingBack' || state === 'completing' || state === 'disabling')
    return {
      main: null,
      beside: only([toggle]),
      more: [
        ...only(['promoteFull', 'abort', 'disable']),
        ...allowed(['retry', 'rollback', 'restart', 'delete']),
      ],
    };
  if (!isOpenRollout(state) || state === 'missing')
    return {
      main: null,
      beside: [],
      more: [...only([toggle, 'restart', 'disable']), ...allowed(['rollback', 'delete'])],
    };
  return {
    main: only(['approve'])[0] ?? null,
    beside: only([toggle, 'rollback']),
    more: only(['promoteFull', 'abort', 'retry', 'jump', 'restart', 'disable', 'delete']),
  };
}

/** On this rollout or on the workload. */
function isPossible(actions: RolloutItem['actions'], name: RolloutActionName): boolean {
  return actions.some((action) => action.name === name && (action.allowed || action.instead !== undefined));
}
