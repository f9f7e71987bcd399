import { createNamespace, type KubeClient } from '@/e2e/controlplane/kube-client';
import type { KubectlResult } from '@/e2e/controlplane/kubectl';
import type { IdleWatcher } from '@/e2e/controllers/idle-watcher';
import type { JsonObject } from '@/lib/kube/json';

/** The namespace of the scenarios. */
export interface ActorCluster {
  /** Path of the kubeconfig of a user with all rights. */
  readonly kubeconfig: string;
  client(): KubeClient;
  /** A failing command is a result, not an exception. */
  kubectl(args: string[], options?: { input?: string }): Promise<KubectlResult>;
  /** Returns when the controllers are idle, where that can be known. */
  idle?(): Promise<void>;
}

/** A manifest to apply, a command of kubectl, or what needs more; after each the cluster settles. */
export type Step = JsonObject | string | ((actor: ClusterActor) => Promise<string | void>);

/** Performs the same actions on two clusters. */
export class ClusterActor {
  readonly cluster: ActorCluster;
  readonly stillness: IdleWatcher;
  readonly namespace: string;

  constructor(cluster: ActorCluster, stillness: IdleWatcher, namespace: string) {
    this.cluster = cluster;
    this.stillness = stillness;
    this.namespace = namespace;
  }

  /** The output of the last step, where it matters. */
  async play(steps: readonly Step[]): Promise<string> {
    await createNamespace(this.cluster.client(), this.namespace);
    let said = '';
    for (const step of steps) {
      if (typeof step === 'string') await this.kubectl(...step.split(' '));
      else if (typeof step === 'object') await this.#send('apply', step);
      else said = (await step(this)) ?? '';
      await this.cluster.idle?.();
      await this.stillness.settle(this.namespace);
    }
    return said;
  }

  /** Output of kubectl in the namespace. Throws when it fails. */
  kubectl(...args: string[]): Promise<string> {
    return this.#succeed(args);
  }

  /** The error output of kubectl. Throws when it succeeds. */
  async refused(...args: string[]): Promise<string> {
    const { code, stderr } = await this.cluster.kubectl(['-n', this.namespace, ...args]);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')} was not refused.`);
    return stderr;
  }

  async create(manifest: object): Promise<void> {
    await this.#send('create', manifest);
  }

  async #send(verb: string, manifest: object): Promise<void> {
    // Manifests are valid; to check them, kubectl reads the whole OpenAPI document each time.
    await this.#succeed([verb, '--validate=false', '-f', '-'], JSON.stringify(manifest));
  }

  async #succeed(args: string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.cluster.kubectl(['-n', this.namespace, ...args], { input });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
}
