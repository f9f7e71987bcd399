/**
 * What a revision of an Application records, in the notation of the pod template's table: only how its lists tell entries
 * apart. What stands in properties is a matter of definitions, and compared as it is.
 * https://kubevela.io/docs/core-concepts/application
 */
export const APPLICATION_FIELDS = `
ApplicationRecord: application*OamApplication
OamApplication: components[]OamComponent(name) policies[]OamPolicy(name) workflow*OamWorkflow
OamComponent: name type traits[]OamTrait(type)
OamTrait: type
OamPolicy: name type
OamWorkflow: steps[]OamStep(name)
OamStep: name type subSteps[]OamStep(name)
`;
