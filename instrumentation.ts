/** Starts what runs as long as the process. Next calls it once, before the first request, never in a build. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { followNodeResponses } = await import('@/server/http/compressed');
  followNodeResponses();
  const { watchConnections } = await import('@/server/shared/connections');
  watchConnections();
  const { startRuntime } = await import('@/server/runtime/runtime');
  const { guardRequests } = await import('@/server/http/admission');
  guardRequests(await startRuntime());
}
