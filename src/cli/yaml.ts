/** A module of its own, loaded when YAML is asked for: a dynamic import of the package itself would give the bundle no named exports. */
import { stringify } from 'yaml';

export function yamlText(value: unknown): string {
  return stringify(value);
}
