import { Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { SecretText } from '../../../components/display/SecretText.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { wholeKey } from '../../../hooks/useEnabledToken.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import { isEnabled, type Token } from '../calls.ts';
import { ConnectPanel } from './ConnectPanel.tsx';

interface UseDialogProps {
  readonly token: Token | undefined;
  readonly onClose: () => void;
}

/** How to configure clients to use the gateway with this token. */
export function UseDialog({ token, onClose }: UseDialogProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <Modal
      opened={token !== undefined}
      onClose={onClose}
      fullScreen={isPhone}
      size={800}
      title={t('token.useTitle', { name: token?.name ?? '' })}
    >
      {token && <WithKey key={token.id} token={token} />}
    </Modal>
  );
}

function WithKey({ token }: { readonly token: Token }) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: tokenKeys.part('key', token.id),
    queryFn: () => wholeKey(token),
    // Do not cache a key longer than it is shown.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query}>
      {(key) => (
        <Stack gap="sm">
          {!isEnabled(token) && <Notice tone="yellow">{t('token.notEnabled')}</Notice>}
          <SecretText secret={key} label={t('token.copyKey')} />
          <ConnectPanel token={token} apiKey={key} />
        </Stack>
      )}
    </Loaded>
  );
}
