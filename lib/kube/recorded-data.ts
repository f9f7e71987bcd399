import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

/**
 * What a ControllerRevision of a controller that Shiplog does not know records: its `data`, untouched, directives of
 * patches among it. The one member tells such a body from a pod template, which has none of that name, so that nobody
 * need say what a body is. Of the owner itself it holds what the owner has beside its metadata and status.
 */
export interface RecordedData extends JsonObject {
  data: Json;
}

export function isRecordedData(body: JsonObject): body is RecordedData {
  const [member, ...others] = Object.keys(body);
  return member === 'data' && others.length === 0;
}

export function recordedData(data: Json): RecordedData {
  return { data };
}

/**
 * The state that the data describes. A state that is no object is stored inside of one, since the API server takes no
 * other: `{"data": […]}`. The members `$patch` and nulls are still in it.
 */
export function stateIn({ data }: RecordedData): Json {
  let state = data;
  while (isJsonObject(state) && isRecordedData(state)) state = state.data;
  return state;
}

/** Whether a place in a body is one of recorded data. No field of a pod template has that name. */
export function isDataPlace(pointer: readonly (string | number)[]): boolean {
  return pointer[0] === 'data';
}
