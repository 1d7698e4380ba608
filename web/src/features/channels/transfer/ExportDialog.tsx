import { Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isSuperAdmin } from '../../../../../src/domain/roles.ts';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { saveText } from '../../../lib/browser/save-file.ts';
import { useUser } from '../../../lib/session/session.ts';
import { dateText } from '../../../lib/text/dates.ts';
import { channelTransfer } from '../calls.ts';

/** Exports all channels to a file; includes keys only with the permission. */
export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const maySeeKeys = isSuperAdmin(useUser()?.role ?? 0);
  const [keys, setKeys] = useState(false);
  const take = useAction(() => channelTransfer.exportAll({ keys }), {
    done: ({ channels }) => t('channel.export.done', { count: channels.length }),
    onDone: (document) => {
      const name = `channels-${dateText(Math.floor(Date.now() / 1000))}.json`;
      saveText(name, `${JSON.stringify(document, null, 2)}\n`, 'application/json');
      onClose();
    },
  });
  return (
    <OpenModal onClose={onClose} title={t('channel.batch.export')}>
      <Stack gap="md">
        <Text>{t('channel.export.text')}</Text>
        {maySeeKeys && (
          <Switch
            label={t('channel.export.keys')}
            description={t('channel.export.keysHint')}
            checked={keys}
            onChange={(event) => setKeys(event.currentTarget.checked)}
          />
        )}
        <DialogFooter
          onClose={onClose}
          verb={t('common.download')}
          loading={take.isPending}
          onClick={() => take.mutate(undefined)}
        />
      </Stack>
    </OpenModal>
  );
}
