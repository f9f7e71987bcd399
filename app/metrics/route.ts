import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';

export const GET = readRoute('/metrics', noParams, noParams, async ({ metrics }) => {
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
});
