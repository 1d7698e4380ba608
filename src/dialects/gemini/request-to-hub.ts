/** Reads a generateContent request into the hub (ai.google.dev/api/generate-content). */
import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { TextBlock } from '../hub/blocks.ts';
import type { PathParams } from '../hub/dialect.ts';
import { unknownFields } from '../hub/extras.ts';
import type { HubRequest, ResponseFormat, Tool, ToolChoice } from '../hub/request/request.ts';
import {
  fieldNameSet,
  fieldOf,
  numberField,
  objectOf,
  objectsOf,
  refuseBothSpellings,
  textField,
} from './fields.ts';
import { ContentReader, readTexts } from './part-to-hub.ts';
import { jsonSchemaOf } from './schema.ts';
import { readThinking } from './thinking.ts';

const KNOWN = fieldNameSet(
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
);

const KNOWN_CONFIG = fieldNameSet(
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseLogprobs',
  'logprobs',
  'responseModalities',
  'thinkingConfig',
);

/** Model and streaming are in the path. @throws AppError field_missing, field_wrong */
export function readGeminiRequest(body: JsonObject, pathParams: PathParams = {}): HubRequest {
  validateGeminiRequest(body);
  const config = objectOf(body, 'generationConfig') ?? {};
  const reader = new ContentReader();
  const maxTokens = numberField(config, 'maxOutputTokens');
  return {
    model: pathParams.model ?? textField(body, 'model') ?? '',
    stream: pathParams.stream === true,
    system: readSystem(body),
    messages: objectsOf(body, 'contents').map((content) => reader.read(content)),
    tools: objectsOf(body, 'tools').flatMap(readTools),
    toolChoice: readToolChoice(body),
    maxTokens: maxTokens !== undefined && maxTokens > 0 ? maxTokens : undefined,
    ...readConfig(config),
    ...extrasOf(body, config),
  };
}

function extrasOf(body: JsonObject, config: JsonObject): Pick<HubRequest, 'extras'> {
  const { extras: ofBody } = unknownFields('gemini', body, KNOWN);
  const { extras: ofConfig } = unknownFields('gemini', config, KNOWN_CONFIG);
  if (ofConfig === undefined) return ofBody === undefined ? {} : { extras: ofBody };
  return { extras: { gemini: { ...ofBody?.gemini, generationConfig: ofConfig.gemini } } };
}

/** Validates only what the gateway has to understand; the model validates values. */
function validateGeminiRequest(body: JsonObject): void {
  refuseBothSpellings(body);
  const contents = fieldOf(body, 'contents');
  if (contents === undefined || contents === null) throw missingField('contents');
  if (!Array.isArray(contents) || contents.length === 0) throw wrongField('contents', 'list_empty');
  for (const [index, content] of contents.entries()) {
    const field = `contents.${index}`;
    if (!isObject(content)) throw wrongField(field, 'not_object');
    if (!Array.isArray(content.parts)) throw wrongField(`${field}.parts`, 'not_list');
  }
}

function readSystem(body: JsonObject): readonly TextBlock[] {
  const given = fieldOf(body, 'systemInstruction');
  return readTexts(given).map((text) => ({ kind: 'text', text }));
}

function readConfig(config: JsonObject) {
  const stops = fieldOf(config, 'stopSequences');
  const modalities = fieldOf(config, 'responseModalities');
  const logprobs = fieldOf(config, 'responseLogprobs');
  return {
    sampling: {
      temperature: numberField(config, 'temperature'),
      topP: numberField(config, 'topP'),
      topK: numberField(config, 'topK'),
      seed: numberField(config, 'seed'),
      presencePenalty: numberField(config, 'presencePenalty'),
      frequencyPenalty: numberField(config, 'frequencyPenalty'),
      ...(typeof logprobs === 'boolean' ? { logprobs } : {}),
      topLogprobs: numberField(config, 'logprobs'),
    },
    stop: Array.isArray(stops) ? stops.filter((text) => typeof text === 'string') : [],
    reasoning: readThinking(objectOf(config, 'thinkingConfig')),
    format: readFormat(config),
    modalities: Array.isArray(modalities)
      ? modalities.map((kind) => String(kind).toLowerCase())
      : undefined,
    count: numberField(config, 'candidateCount'),
  };
}

function readFormat(config: JsonObject): ResponseFormat | undefined {
  if (textField(config, 'responseMimeType') !== 'application/json') return undefined;
  const json = objectOf(config, 'responseJsonSchema');
  const own = objectOf(config, 'responseSchema');
  const schema = json ?? (own === undefined ? undefined : jsonSchemaOf(own));
  return schema === undefined ? { kind: 'json' } : { kind: 'schema', schema };
}

/** One entry may contain several tools. */
function readTools(entry: JsonObject): readonly Tool[] {
  const functions = objectsOf(entry, 'functionDeclarations').flatMap(readFunction);
  const others = Object.entries(entry).filter(
    ([name, value]) => !FUNCTIONS.has(name) && isObject(value),
  );
  return [...functions, ...others.map(([name, value]) => readOther(name, value))];
}

const FUNCTIONS = fieldNameSet('functionDeclarations');
const SEARCHES = fieldNameSet('googleSearch', 'googleSearchRetrieval');

function readOther(name: string, value: unknown): Tool {
  const kind = SEARCHES.has(name) ? 'web_search' : 'foreign';
  return { kind, origin: 'gemini', value: { [name]: value } };
}

const KNOWN_FUNCTION = fieldNameSet('name', 'description', 'parameters', 'parametersJsonSchema');

function readFunction(declared: JsonObject): readonly Tool[] {
  const name = textField(declared, 'name');
  if (name === undefined) return [];
  const json = objectOf(declared, 'parametersJsonSchema');
  const own = objectOf(declared, 'parameters');
  return [
    {
      kind: 'function',
      name,
      description: textField(declared, 'description'),
      schema: json ?? (own === undefined ? undefined : jsonSchemaOf(own)),
      ...unknownFields('gemini', declared, KNOWN_FUNCTION),
    },
  ];
}

function readToolChoice(body: JsonObject): ToolChoice | undefined {
  const calling = objectOf(objectOf(body, 'toolConfig'), 'functionCallingConfig');
  const mode = textField(calling, 'mode')?.toUpperCase();
  const listed = fieldOf(calling, 'allowedFunctionNames');
  const names = Array.isArray(listed) ? listed.map(String) : [];
  if (mode === 'NONE') return { mode: 'none' };
  if (mode === 'ANY') {
    const [name] = names;
    if (name === undefined) return { mode: 'required' };
    return names.length === 1 ? { mode: 'tool', name } : { mode: 'allowed', names, required: true };
  }
  if (mode === 'VALIDATED' && names.length > 0) return { mode: 'allowed', names, required: false };
  return mode === undefined ? undefined : { mode: 'auto' };
}
