import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

/**
 * What a ControllerRevision of a controller that Shiplog does not know records: its `data`, unchanged, with
 * patch directives. This one member distinguishes such a body from a pod template, which has none of that
 * name, so the body alone shows its type. Of the owner itself it holds everything except metadata and status.
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
 * The state that the data describes. A state that is no object is wrapped in one, since the API server
 * accepts only objects: `{"data": […]}`. It still has the members `$patch` and nulls.
 */
export function stateOf({ data }: RecordedData): Json {
  let state = data;
  while (isJsonObject(state) && isRecordedData(state)) state = state.data;
  return state;
}

/** Whether a path in a body is one of recorded data. No field of a pod template has that name. */
export function isDataPointer(pointer: readonly (string | number)[]): boolean {
  return pointer[0] === 'data';
}
