import type { ClusterInfo } from '@/lib/api/cluster';

export interface ClusterIdentity extends Pick<ClusterInfo, 'id' | 'name' | 'server' | 'version'> {
  /** The API server has not answered yet, so the id may turn out to be another. */
  isGuessed?: boolean;
  /** Other ids that lead to it: of its address and CA, or the uid of its namespace kube-system. */
  aliases?: readonly string[];
  /** While it is guessed: the id that the same address and CA led to before. */
  formerId?: string;
}

/** What an API server answered. */
export interface FoundIdentity extends ClusterIdentity {
  /** Of its address and CA. */
  hash: string;
  /** Whether the cluster told the uid of its namespace kube-system, or its entry gives the id. */
  isStated: boolean;
}

/** Answers under which id a cluster is read; undefined where it is not to be read. */
export type Confirm = (found: FoundIdentity) => Promise<string | undefined>;
