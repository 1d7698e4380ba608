import { Avatar, Group, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import {
  IconEye,
  IconEyeOff,
  IconKeyboard,
  IconLogout,
  IconUserCircle,
  IconWallet,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { RoleTag } from '../../components/display/tag-lists.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { client } from '../../lib/api/api.ts';
import { setPrivacy, usePrivacy } from '../../lib/display/privacy.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { endSession } from '../../lib/session/session.ts';
import type { SessionUser } from '../../lib/session/session-user.ts';
import { openShortcuts } from '../search/SearchAndKeys.tsx';
import classes from './AvatarMenu.module.css';

export function AvatarMenu({ user }: { readonly user: SessionUser }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const isPrivate = usePrivacy();
  const signOut = useSignOut();
  const name = isPrivate ? '•••' : user.username;
  return (
    <Menu width={220} withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <VisuallyHidden>
            {t(isPhone ? 'shell.account' : 'shell.accountOf', { name })}
          </VisuallyHidden>
          <Avatar aria-hidden size={28} radius="xl" color="iris" variant="filled">
            {name.slice(0, 1).toUpperCase()}
          </Avatar>
          {!isPhone && (
            <Text span maw={120} truncate>
              {name}
            </Text>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Group px="sm" py={6} wrap="nowrap" role="none">
          <Text fw={500} truncate>
            {isPrivate ? '•••' : user.display_name || user.username}
          </Text>
          <RoleTag role={user.role} />
        </Group>
        <Menu.Divider />
        <Menu.Item component={Link} to="/app/me" leftSection={<IconUserCircle size={16} />}>
          {t('nav.me')}
        </Menu.Item>
        <Menu.Item component={Link} to="/app/wallet" leftSection={<IconWallet size={16} />}>
          {t('nav.wallet')}
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          leftSection={isPrivate ? <IconEye size={16} /> : <IconEyeOff size={16} />}
          onClick={() => setPrivacy(!isPrivate)}
        >
          {t(isPrivate ? 'shell.privacy.off' : 'shell.privacy.on')}
        </Menu.Item>
        {!isPhone && (
          <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openShortcuts}>
            {t('shell.keys.title')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Ends the session locally even if the sign-out call fails. */
function useSignOut(): () => Promise<void> {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  return async () => {
    await signOutAtServer().catch(() => undefined);
    endSession();
    cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
    toast.success(t('shell.signedOut'));
    await navigate('/login');
  };
}

async function signOutAtServer(): Promise<void> {
  const { accountCalls } = await import('../../../../src/api/accounts/account.ts');
  await client({ logout: accountCalls.logout }).logout({});
}
