import { until } from '@/e2e/cluster/fixtures';
import { type Shiplog } from '@/e2e/support/shiplog';

/** Beside the real controllers, on a machine that does other things too. */
export const PATIENCE_MS = 90_000;

/** The releases of one resource and namespace, as a script handles them. `place` is asked when the suite has begun. */
export class Releases {
  readonly #place: () => { shiplog: Shiplog; group: string; namespace: string };

  constructor(place: () => { shiplog: Shiplog; group: string; namespace: string }) {
    this.#place = place;
  }

  pathOf(name: string): string {
    const { group, namespace } = this.#place();
    return `/api/rollouts/${group}/${namespace}/${name}`;
  }

  /** What is said once it is so (`waiting 1/4`); an answer may lag a moment behind the cluster. */
  reaches(name: string, wanted: string): Promise<any> {
    const { shiplog } = this.#place();
    let last = '';
    return until(
      `${name} is ${wanted}`,
      async () => {
        const { rollout } = await shiplog.get(this.pathOf(name)).catch(() => ({ rollout: undefined }));
        if (rollout === undefined) return false;
        last = `${rollout.state} ${rollout.step.index}/${rollout.step.total}`;
        return last === wanted && rollout;
      },
      PATIENCE_MS,
    ).catch((error: Error) => Promise.reject(new Error(`${error.message} It is ${last}.`)));
  }

  act(name: string, action: string, seen: string, more: object = {}) {
    const { shiplog } = this.#place();
    return shiplog.post(`${this.pathOf(name)}/${action}`, { seen, reason: 'as planned', ...more });
  }

  /** Resolves to the action once it is done; throws where it was not taken, or has failed. */
  async ends(answer: { status: number; body: any }): Promise<any> {
    const { shiplog } = this.#place();
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    const action = await until(
      'the action has ended',
      async () => {
        const found = await shiplog.get(`/api/actions/${answer.body.result.actionId}`);
        return (found.state === 'done' || found.state === 'failed') && found;
      },
      PATIENCE_MS,
    );
    if (action.state !== 'done') throw new Error(`${action.action}: ${action.message}`);
    return action;
  }
}
