import { Divider, Stack } from '@mantine/core';
import type { Self } from '../calls.ts';
import { AccessToken } from './AccessToken.tsx';
import { ChangePassword } from './ChangePassword.tsx';
import { CloseAccount } from './CloseAccount.tsx';
import { Sessions } from './Sessions.tsx';

/** Password, access token, sessions and closing the account. */
export function SecurityPanel({ self }: { readonly self: Self }) {
  return (
    <Stack gap="lg">
      <ChangePassword />
      <Divider />
      <AccessToken />
      <Divider />
      <Sessions />
      <Divider />
      <CloseAccount username={self.username} />
    </Stack>
  );
}
