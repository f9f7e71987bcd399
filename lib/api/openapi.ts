import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import type { Route } from '@/lib/api/route';
import { routes } from '@/lib/api/routes';
import { partsOfKey } from '@/lib/route-key';

/** The OpenAPI description of the HTTP API, made of the table of its routes. */
export function openApiDocument(version: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const [key, route] of Object.entries<Route>(routes)) {
    const { method, template: path } = partsOfKey(key);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Shiplog',
      version,
      description:
        'Rollout histories of Kubernetes workloads. Every answer that shows cluster state says how old it is. ' +
        'A request that changes something is JSON and contains `seen`, copied from the answer that you acted on.',
    },
    paths,
  });
}

const idempotencyHeader = z.object({ 'idempotency-key': z.string().max(200).optional() });

function operationOf(route: Route): ZodOpenApiOperationObject {
  const operation: ZodOpenApiOperationObject = {
    summary: route.summary,
    requestParams: { path: route.path, query: route.query },
    responses: { 200: { description: route.success, ...content(route.answer, route.mediaType) } },
  };
  for (const [status, description] of Object.entries(route.failures))
    operation.responses[status as '400'] = { description, ...content(route.failure) };
  if (route.body !== undefined) {
    operation.requestParams = { ...operation.requestParams, header: idempotencyHeader };
    operation.requestBody = { required: true, ...content(route.body) };
  }
  return operation;
}

function content(schema: z.core.$ZodType, mediaType = 'application/json') {
  return { content: { [mediaType]: { schema } } };
}
