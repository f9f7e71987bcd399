import type { ResourceType } from '@/lib/kube/resource';

export const applications: ResourceType = {
  id: 'applications.core.oam.dev',
  group: 'core.oam.dev',
  versions: ['v1beta1'],
  plural: 'applications',
  kind: 'Application',
  isCustom: true,
};

export const applicationRevisionResource: ResourceType = {
  id: 'applicationrevisions.core.oam.dev',
  group: 'core.oam.dev',
  versions: ['v1beta1'],
  plural: 'applicationrevisions',
  kind: 'ApplicationRevision',
  isCustom: true,
};

/**
 * While its value stays the same, KubeVela continues with the revision created for it, whatever the spec
 * says.
 */
export const PUBLISH_VERSION = 'app.oam.dev/publishVersion';
export const KUBEVELA_VERSION = 'oam.dev/kubevela-version';
/** Names the only controller that may act on the Application; `Disabled` freezes it. */
export const CONTROLLER_REQUIRED = 'app.oam.dev/controller-version-require';
/** On a revision: tells contents apart, since a name can be used again for another content. */
export const REVISION_HASH = 'app.oam.dev/app-revision-hash';
/** On what an Application has created. */
export const APPLICATION_NAME = 'app.oam.dev/name';
export const APPLICATION_NAMESPACE = 'app.oam.dev/namespace';
export const COMPONENT = 'app.oam.dev/component';
export const APPLICATION_REVISION = 'app.oam.dev/appRevision';
