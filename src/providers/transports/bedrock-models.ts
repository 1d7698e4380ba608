/**
 * Bedrock's model ids and the inference profiles of each model. Source:
 * docs.aws.amazon.com/bedrock, "Supported foundation models" and "Supported Regions and models for
 * inference profiles", as of November 2026. Any other name is already an id of Bedrock.
 */

interface BedrockModel {
  /** The maker's name of the model. */
  readonly name: string;
  readonly id: string;
  /** Prefixes of the profiles that AWS defines; without one, only the id is used. */
  readonly profiles: string;
}

/** Claude since generation 4.5: a profile for most geographies, and a global one. */
const WORLDWIDE = 'us eu jp au global';

const MODELS: readonly BedrockModel[] = [
  claude('3-haiku-20240307', '-v1:0', 'us us-gov eu apac'),
  claude('3-sonnet-20240229', '-v1:0', 'us eu apac'),
  claude('3-opus-20240229', '-v1:0', 'us'),
  claude('3-5-sonnet-20240620', '-v1:0', 'us us-gov eu apac'),
  claude('3-5-sonnet-20241022', '-v2:0', 'us apac'),
  claude('3-5-haiku-20241022', '-v1:0', 'us'),
  claude('3-7-sonnet-20250219', '-v1:0', 'us us-gov eu apac'),
  claude('sonnet-4-20250514', '-v1:0', 'us eu apac global'),
  claude('opus-4-20250514', '-v1:0', 'us'),
  claude('opus-4-1-20250805', '-v1:0', 'us'),
  claude('sonnet-4-5-20250929', '-v1:0', `${WORLDWIDE} us-gov`),
  claude('haiku-4-5-20251001', '-v1:0', WORLDWIDE),
  claude('opus-4-5-20251101', '-v1:0', 'us eu global'),
  claude('opus-4-6', '-v1', WORLDWIDE),
  nova('micro', '-v1:0', 'us eu apac'),
  nova('lite', '-v1:0', 'us eu apac'),
  nova('pro', '-v1:0', 'us eu apac'),
  nova('premier', '-v1:0', 'us'),
  nova('2-lite', '-v1:0', 'us eu jp global'),
];

function claude(name: string, version: string, profiles: string): BedrockModel {
  return { name: `claude-${name}`, id: `anthropic.claude-${name}${version}`, profiles };
}

function nova(name: string, version: string, profiles: string): BedrockModel {
  return { name: `nova-${name}`, id: `amazon.nova-${name}${version}`, profiles };
}

const DATED = /-\d{8}$/;

/** By the dated name, and also by the undated one if the maker has one. */
const BY_NAME = new Map(
  MODELS.flatMap((model) => [
    [model.name, model] as const,
    [model.name.replace(DATED, ''), model] as const,
  ]),
);

/** Regions of a country with a profile of its own, and the larger geography of all others. */
const GEOGRAPHIES: readonly (readonly [match: RegExp, prefixes: readonly string[]])[] = [
  [/^us-gov-/, ['us-gov']],
  [/^us-/, ['us']],
  [/^eu-/, ['eu']],
  [/^ap-northeast-[13]$/, ['jp', 'apac']],
  [/^ap-southeast-[2467]$/, ['au', 'apac']],
  [/^ap-/, ['apac']],
];

/**
 * The id for a region: with the profile of its geography, else the global profile, else the bare
 * id. ARNs and ids of Bedrock are unchanged.
 */
export function bedrockModelId(model: string, region: string): string {
  const known = BY_NAME.get(model) ?? unlisted(model);
  if (known === undefined) return model;
  const profiles = known.profiles.split(' ');
  const near = GEOGRAPHIES.find(([match]) => match.test(region))?.[1] ?? [];
  const prefix = [...near, 'global'].find((candidate) => profiles.includes(candidate));
  return prefix === undefined ? known.id : `${prefix}.${known.id}`;
}

/** Later models keep their maker's name, without date and version. */
function unlisted(model: string): BedrockModel | undefined {
  if (!model.startsWith('claude-')) return undefined;
  return { name: model, id: `anthropic.${model}`, profiles: WORLDWIDE };
}
