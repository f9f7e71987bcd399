import { until } from '@/e2e/cluster/fixtures';
import type { Shiplog } from '@/e2e/support/shiplog';

/** Next to the real controllers, on a busy machine. */
export const TIMEOUT_MS = 90_000;

/** The rollouts of one resource and namespace, as a script uses them. `place` is called when the suite has begun. */
export class RolloutClient {
  readonly #place: () => { shiplog: Shiplog; group: string; namespace: string };

  constructor(place: () => { shiplog: Shiplog; group: string; namespace: string }) {
    this.#place = place;
  }

  pathOf(name: string): string {
    const { group, namespace } = this.#place();
    return `/api/rollouts/${group}/${namespace}/${name}`;
  }

  /** Waits for this status (`waiting 1/4`); an answer may lag a moment behind the cluster. */
  untilState(name: string, expected: string): Promise<any> {
    const { shiplog } = this.#place();
    let last = '';
    return until(
      `${name} is ${expected}`,
      async () => {
        const { rollout } = await shiplog.get(this.pathOf(name)).catch(() => ({ rollout: undefined }));
        if (rollout === undefined) return false;
        last = `${rollout.state} ${rollout.step.index}/${rollout.step.total}`;
        return last === expected && rollout;
      },
      TIMEOUT_MS,
    ).catch((error: Error) => Promise.reject(new Error(`${error.message} It is ${last}.`)));
  }

  act(name: string, action: string, seen: string, more: object = {}, by = this.#place().shiplog) {
    return by.post(`${this.pathOf(name)}/${action}`, { seen, reason: 'as planned', ...more });
  }

  /** Resolves to the action once it is done; throws where it was not accepted, or has failed. */
  async untilDone(answer: { status: number; body: any }): Promise<any> {
    const { shiplog } = this.#place();
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    const action = await until(
      'the action has ended',
      async () => {
        const found = await shiplog.get(`/api/actions/${answer.body.result.actionId}`);
        return (found.state === 'done' || found.state === 'failed') && found;
      },
      TIMEOUT_MS,
    );
    if (action.state !== 'done') throw new Error(`${action.action}: ${action.message}`);
    return action;
  }
}
