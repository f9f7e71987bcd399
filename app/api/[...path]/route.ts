import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { AppError } from '@/lib/errors';

/** A mistyped path gets the error format of the API, not a page. */
const unknown = readRoute('/api/{unknown}', noParams, noParams, () => {
  throw new AppError('not_found', 'The API has no such path. Those that it has are in /api/openapi.json.');
});

export { unknown as GET, unknown as POST, unknown as PUT, unknown as PATCH, unknown as DELETE };
