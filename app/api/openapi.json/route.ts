import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { openApiDocument } from '@/lib/api/openapi';
import { version } from '@/server/shared/version';

export const GET = readRoute('/api/openapi.json', noParams, noParams, () => openApiDocument(version));
