/** Writes a generateContent request from the hub. Model and streaming are in the path. */
import { definedFields } from '../../domain/defined-fields.ts';
import { isObject, type JsonObject, objectIn } from '../../json/read-json.ts';
import type { GeminiTarget, RequestTarget } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import {
  type FunctionTool,
  functionsOf,
  type HubMessage,
  type HubRequest,
  type ResponseFormat,
  type Tool,
  type ToolChoice,
} from '../hub/request/request.ts';
import { sharedTier } from '../hub/request/service-tier.ts';
import {
  mergedTurns,
  pairedResults,
  systemAsUser,
  toolNamesByCallId,
  withUserMessage,
} from '../hub/request/turns.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { writeParts } from './hub-to-part.ts';
import { type GeminiFacts, geminiFacts } from './models.ts';
import { cleanSchema } from './schema.ts';
import { writeThinking } from './thinking.ts';
import { GEMINI_TOOL_NAMES } from './tool-names.ts';

const MAX_STOPS = 5;

export function writeGeminiRequest(given: HubRequest, target: RequestTarget): JsonObject {
  const request = withUserMessage(given);
  const facts = geminiFacts(target.model);
  const { generationConfig: configExtras, ...extras } = extrasFor('gemini', request);
  const tools = writeTools(request.tools, facts);
  const config = writeConfig(request, facts, target.gemini?.outputsImages ?? false);
  const system = request.system.flatMap(({ text }) => (text === '' ? [] : [{ text }]));
  return definedFields({
    ...extras,
    contents: writeContents(request.messages, facts, target.gemini ?? {}),
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    tools: tools.length > 0 ? tools : undefined,
    toolConfig: hasFunctions(request) ? writeToolConfig(request.toolChoice) : undefined,
    serviceTier: extras.serviceTier ?? sharedTier(request),
    safetySettings: extras.safetySettings ?? writeSafety(target.gemini?.safety),
    generationConfig: nonEmpty({ ...(isObject(configExtras) ? configExtras : {}), ...config }),
  });
}

function nonEmpty(fields: JsonObject): JsonObject | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function writeContents(
  messages: readonly HubMessage[],
  facts: GeminiFacts,
  target: GeminiTarget,
): readonly JsonObject[] {
  const turns = pairedResults(mergedTurns(systemAsUser(messages)));
  const names = toolNamesByCallId(turns);
  return turns.flatMap(({ role, blocks }) => {
    const parts = writeParts(blocks, { facts, names, signatureOf: target.signatureOf });
    const speaker = role === 'assistant' ? 'model' : 'user';
    return parts.length === 0 ? [] : [{ role: speaker, parts }];
  });
}

function writeConfig(request: HubRequest, facts: GeminiFacts, outputsImages: boolean): JsonObject {
  const { sampling, stop, reasoning, format, modalities } = request;
  const kinds =
    modalities ?? (outputsImages || facts.outputsImages ? ['text', 'image'] : undefined);
  return definedFields({
    candidateCount: (request.count ?? 1) > 1 ? request.count : undefined,
    maxOutputTokens: request.maxTokens,
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    responseLogprobs: sampling.logprobs,
    logprobs: sampling.logprobs ? sampling.topLogprobs : undefined,
    stopSequences: stop.length > 0 ? stop.slice(0, MAX_STOPS) : undefined,
    ...(format === undefined ? {} : writeFormat(format, facts)),
    responseModalities: kinds?.map((kind) => kind.toUpperCase()),
    thinkingConfig: reasoning && writeThinking(reasoning, facts),
  });
}

function writeFormat(format: ResponseFormat, { jsonSchema }: GeminiFacts): JsonObject {
  const json = { responseMimeType: 'application/json' };
  if (format.kind === 'json') return json;
  if (jsonSchema) return { ...json, responseJsonSchema: format.schema };
  return { ...json, responseSchema: cleanSchema(format.schema) };
}

/** Function names that clients of other dialects use for Google's own tools. */
const OWN_TOOLS = new Set(['googleSearch', 'codeExecution', 'urlContext']);

function isOwnTool(tool: Tool): boolean {
  return tool.kind === 'function' && OWN_TOOLS.has(tool.name);
}

function hasFunctions({ tools }: HubRequest): boolean {
  return functionsOf(tools).some((tool) => !OWN_TOOLS.has(tool.name));
}

/** Models that cannot combine both keep the client's tools, on which the client depends. */
function writeTools(tools: readonly Tool[], facts: GeminiFacts): readonly JsonObject[] {
  const functions = functionsOf(tools.filter((tool) => !isOwnTool(tool)));
  const declared = functions.map((tool) => writeFunction(tool, facts));
  const own = tools.flatMap(writeOwnTool);
  const mayMix = facts.mixesTools || declared.length === 0;
  return [
    ...(declared.length > 0 ? [{ functionDeclarations: declared }] : []),
    ...(mayMix ? own : []),
  ];
}

function writeOwnTool(tool: Tool): readonly JsonObject[] {
  switch (tool.kind) {
    case 'function':
      return isOwnTool(tool) ? [{ [tool.name]: {} }] : [];
    case 'custom':
      return [];
    case 'web_search':
      return [tool.origin === 'gemini' ? tool.value : { googleSearch: {} }];
    case 'foreign':
      return tool.origin === 'gemini' ? [tool.value] : [];
    default:
      return tool satisfies never;
  }
}

function writeFunction(tool: FunctionTool, { jsonSchema }: GeminiFacts): JsonObject {
  const { schema } = tool;
  const takesNothing = Object.keys(objectIn(schema, 'properties') ?? {}).length === 0;
  const isPlain = schema === undefined || (takesNothing && schema.$ref === undefined);
  return definedFields({
    ...extrasFor('gemini', tool),
    name: vendorToolName(tool.name, GEMINI_TOOL_NAMES),
    description: tool.description,
    parametersJsonSchema: !isPlain && jsonSchema ? schema : undefined,
    parameters: !isPlain && !jsonSchema ? cleanSchema(schema) : undefined,
  });
}

function writeToolConfig(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined;
  const config = (mode: string, names?: readonly string[]) => ({
    functionCallingConfig: {
      mode,
      ...(names === undefined
        ? {}
        : { allowedFunctionNames: names.map((name) => vendorToolName(name, GEMINI_TOOL_NAMES)) }),
    },
  });
  switch (choice.mode) {
    case 'auto':
      return config('AUTO');
    case 'none':
      return config('NONE');
    case 'required':
      return config('ANY');
    case 'tool':
      return config('ANY', [choice.name]);
    case 'allowed':
      return config(choice.required ? 'ANY' : 'VALIDATED', choice.names);
    default:
      return choice satisfies never;
  }
}

const HARMS = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
];

function writeSafety(
  safety: Readonly<Record<string, string>> | undefined,
): readonly JsonObject[] | undefined {
  if (safety === undefined) return undefined;
  const settings = HARMS.flatMap((category) => {
    const threshold = safety[category] ?? safety.default;
    return threshold === undefined ? [] : [{ category, threshold }];
  });
  return settings.length > 0 ? settings : undefined;
}
