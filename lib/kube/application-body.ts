import { isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import { findRecordedPodTemplates } from '@/lib/kube/recorded-pod-templates';

/**
 * What a revision of an Application of KubeVela records: its spec, and the definitions that rendered it. No
 * pod template has a member of that name, so the body alone shows its type.
 */
export interface ApplicationBody extends JsonObject {
  /** `spec` of the Application. */
  application: JsonObject;
  /** Specs of the definitions by kind (`component`, `trait`, …) and name. */
  definitions?: JsonObject;
}

export function isApplicationBody(body: JsonObject): body is ApplicationBody {
  return isJsonObject(memberOf(body, 'application'));
}

interface ComponentImage {
  container: string;
  image: string;
}

/** The image of each component that names one, and those of the pod templates embedded in a component. */
export function imagesOfApplication({ application }: ApplicationBody): ComponentImage[] {
  const { components } = application;
  if (!Array.isArray(components)) return [];
  return components.flatMap((component) => {
    const [name, properties] = [memberOf(component, 'name'), memberOf(component, 'properties')];
    if (typeof name !== 'string' || !isJsonObject(properties)) return [];
    const image = memberOf(properties, 'image');
    if (typeof image === 'string') return [{ container: name, image }];
    return imagesWithin(name, properties);
  });
}

function imagesWithin(component: string, properties: JsonObject): ComponentImage[] {
  return findRecordedPodTemplates({ data: properties }).flatMap(({ template: { spec } }) => {
    const containers = memberOf(spec, 'containers');
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container) => {
      const [name, image] = [memberOf(container, 'name'), memberOf(container, 'image')];
      return typeof name === 'string' && typeof image === 'string'
        ? [{ container: `${component}/${name}`, image }]
        : [];
    });
  });
}
