/** A named server, as stored in the profiles file. */

export interface Profile {
  url?: string | undefined;
  access_token?: string | undefined;
  user_id?: string | undefined;
  /** The entry of the system's keyring that holds the access token. */
  keyring?: string | undefined;
}

export interface ProfileFile {
  current?: string | undefined;
  profiles: Record<string, Profile>;
}
