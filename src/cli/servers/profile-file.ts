/** Format of the profiles file. A separate module, because most commands never read the file. */
import * as z from 'zod/mini';
import { yamlText, yamlValue } from '../../session/yaml.ts';

/** A named server. */
const Profile = z.object({
  url: z.optional(z.string()),
  access_token: z.optional(z.string()),
  user_id: z.optional(z.string()),
  /** The entry of the system's keyring that holds the access token. */
  keyring: z.optional(z.string()),
});
export type Profile = z.output<typeof Profile>;

const ProfileFile = z.object({
  current: z.optional(z.string()),
  profiles: z._default(z.record(z.string(), Profile), {}),
});
export type ProfileFile = z.output<typeof ProfileFile>;

/** An empty file has no profiles. Undefined for text that is not YAML of this form. */
export function parseProfiles(text: string): ProfileFile | undefined {
  const value = yamlValue(text);
  const parsed = z.safeParse(ProfileFile, value === null ? {} : value);
  return parsed.success ? parsed.data : undefined;
}

export function profilesText(content: ProfileFile): string {
  return yamlText(content);
}
