import { queryOptions, skipToken } from '@tanstack/react-query';
import { apiFetch, type RequestOptions } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import type { ActionAnswer } from '@/lib/api/actions';
import type { BodyOf, PathOf, RouteKey } from '@/lib/api/routes';

type ActionRoute = Extract<RouteKey, `POST /api/workloads/${string}` | `POST /api/rollouts/${string}`>;

/** What every action is confirmed with. */
export interface Confirmation {
  /** `seen` of the object that the viewer saw. */
  seen: string;
  reason: string;
  /** Rollback: the template of the preview. */
  toSeen?: string;
}

/** One action on one object, with its own parameters. */
export type ActionRequest = {
  [Route in ActionRoute]: {
    route: Route;
    params: PathOf<Route> & { cluster: string | undefined };
    body: Omit<BodyOf<Route>, keyof Confirmation | 'dryRun'>;
  };
}[ActionRoute];

/**
 * What the action would do, by a dry run. The key lies outside the object's, and nothing refetches it: what the viewer
 * reads must not change because a pod became ready. `refreshCount` counts reloads by the viewer.
 */
export function actionPreviewQuery(request: ActionRequest | null, seen: string, refreshCount: number) {
  return queryOptions({
    queryKey: ['action-preview', request, seen, refreshCount],
    queryFn:
      request === null
        ? skipToken
        : ({ signal }) => post(request, { seen, reason: '', dryRun: true }, { signal }),
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends the action; repeats with the same `idempotencyKey` and body have no further effect. */
export function sendAction(
  request: ActionRequest,
  confirmation: Confirmation,
  idempotencyKey: string,
): Promise<ActionAnswer> {
  return post(request, { ...confirmation, dryRun: false }, { idempotencyKey });
}

function post(
  { route, params, body }: ActionRequest,
  confirmation: Confirmation & { dryRun: boolean },
  options: RequestOptions,
): Promise<ActionAnswer> {
  return apiFetch<ActionRoute>(route, {
    params,
    query: inCluster(params),
    body: { ...body, ...confirmation },
    ...options,
  });
}
