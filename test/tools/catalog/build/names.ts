/** Names of models: what hosts and dates add to them. */

const BEDROCK =
  /^(?:(?:us|us-gov|eu|apac|global|jp|au|ca)\.)?(?:amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot(?:ai)?|nvidia|openai|qwen|writer|xai|zai)\.(.*?)(?:-v?\d+(?::\d+)+|-v\d+)?$/;
const PACKAGING = /-(fp8|fp8-fast|bf16|nvfp4|maas|turbo|tput|tee)$/;

/** Without maker, and for Bedrock without region and version. */
export function bedrockName(id: string): string {
  const part = id.slice(id.lastIndexOf('/') + 1);
  return BEDROCK.exec(part)?.[1] ?? part;
}

/** The part after the maker's name, in lower case. */
export function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).toLowerCase();
}

/** The name without what a host adds to it: maker, region, version, number format. */
export function hostedName(id: string): string {
  return bedrockName(id)
    .toLowerCase()
    .replace(/(\d)p(\d)/g, '$1.$2')
    .replace(PACKAGING, '')
    .replace(/^meta-llama/, 'llama')
    .replace(/^qwen-(\d)/, 'qwen$1')
    .replace(/^llama-?(\d)-(\d)-/, 'llama-$1.$2-')
    .replace(/^llama(\d)/, 'llama-$1');
}

const DATE = /-(latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4})$/;

/** Equal for the names of one model that differ only in a date, `-latest`, or dots. */
export function undatedName(name: string): string {
  const plain = name.toLowerCase().replace(/(\d)\.(\d)/g, '$1-$2');
  return plain.replace(DATE, '');
}

/** Whether the name ends with a date or `-latest`. */
export function isDated(name: string): boolean {
  return DATE.test(name.toLowerCase());
}
