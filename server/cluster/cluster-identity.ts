export interface ClusterIdentity {
  /** uid of namespace kube-system, else a hash of server address and CA. */
  id: string;
  /** Name of the context. */
  name: string;
  server: string;
  version: string | null;
  /** The API server has not answered yet, so the id may turn out to be another. */
  isGuessed?: boolean;
  /** While it is guessed: the id that the same address and CA led to before. */
  formerId?: string;
}
