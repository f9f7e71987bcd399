import { createNamespace, type KubeClient } from '@/e2e/controlplane/kube-client';
import { type KubectlResult } from '@/e2e/controlplane/kubectl';
import { type IdleWatcher } from '@/e2e/controllers/idle-watcher';

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

/** Performs the same actions on two clusters. */
export interface ClusterActor {
  readonly namespace: string;
  readonly client: KubeClient;
  /** Output of kubectl in the namespace. Throws when it fails. */
  kubectl(...args: string[]): Promise<string>;
  /** The error output of kubectl. Throws when it succeeds. */
  refused(...args: string[]): Promise<string>;
  apply(manifest: object): Promise<void>;
  create(manifest: object): Promise<void>;
  /** Returns when nothing has changed for a while. */
  settle(): Promise<void>;
}

/** Creates the namespace and its actor. */
export async function createActor(
  cluster: ActorCluster,
  stillness: IdleWatcher,
  namespace: string,
): Promise<ClusterActor> {
  const client = cluster.client();
  await createNamespace(client, namespace);
  const run = (args: string[], input?: string) =>
    cluster.kubectl(['-n', namespace, ...args], input === undefined ? {} : { input });
  const succeed = async (args: string[], input?: string) => {
    const { code, stdout, stderr } = await run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const send = (verb: string) => async (manifest: object) => {
    await succeed([verb, '-f', '-'], JSON.stringify(manifest));
  };

  return {
    namespace,
    client,
    kubectl: (...args) => succeed(args),
    refused: async (...args) => {
      const { code, stderr } = await run(args);
      if (code === 0) throw new Error(`kubectl ${args.join(' ')} was not refused.`);
      return stderr;
    },
    apply: send('apply'),
    create: send('create'),
    settle: async () => {
      await cluster.idle?.();
      await stillness.settle(namespace);
    },
  };
}
