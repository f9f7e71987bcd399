import { processCredential, type Viewer } from '@/server/shared/viewer';

/** A viewer that clusters know as the user of that name. */
export function viewerNamed(name: string, id = name): Viewer {
  return { id, name, credential: { kind: 'impersonate', user: name }, isProcess: false };
}

/** The identity that Shiplog itself runs as. */
export function processViewer(name: string, id = 'self'): Viewer {
  return { id, name, credential: processCredential, isProcess: true };
}
