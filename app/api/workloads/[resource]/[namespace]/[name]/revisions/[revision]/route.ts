import { readRoute } from '@/app/api/handlers';
import { noParams, revisionParams } from '@/app/api/params';
import { type JsonObject } from '@/lib/kube/json';
import { revisionBody, toYaml } from '@/server/reads/revision-body';

export const GET = readRoute(
  '/api/workloads/{…}/revisions/{revision}',
  revisionParams,
  noParams,
  async ({ reads, viewer, params, request }) => {
    const body = await revisionBody(reads, viewer, params, params.revision);
    if (!request.headers.get('accept')?.includes('application/yaml')) return body;
    return new Response(toYaml(body.template as JsonObject), {
      headers: { 'content-type': 'application/yaml; charset=utf-8' },
    });
  },
);
