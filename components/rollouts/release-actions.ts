import { isOpen } from '@/components/rollouts/rollout-labels';
import { type RolloutItem } from '@/lib/api/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';

/** Placement of each action: primary, secondary, or in the menu. */
export interface ActionPlaces {
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
  if (!isOpen(state) || state === 'missing')
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
