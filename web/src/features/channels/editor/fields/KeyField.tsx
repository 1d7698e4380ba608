import {
  Button,
  Checkbox,
  Group,
  Input,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitKeys, splitKeyText } from '../../../../../../src/domain/channels/channel-keys.ts';
import { isSuperAdmin } from '../../../../../../src/domain/roles.ts';
import { CHANNEL_STATUS } from '../../../../../../src/domain/statuses.ts';
import { Dimmed } from '../../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../../components/display/SideButton.tsx';
import { StatusBadge } from '../../../../components/display/StatusBadge.tsx';
import { KeyList } from '../../../../components/forms/KeyList.tsx';
import { useAction } from '../../../../hooks/useAction.ts';
import { channelKeys } from '../../../../lib/api/query-keys.ts';
import { usePrivacy } from '../../../../lib/display/privacy.ts';
import { useUser } from '../../../../lib/session/session.ts';
import { dateTimeText } from '../../../../lib/text/dates.ts';
import { type Channel, channelSingleKeys, channels } from '../../calls.ts';
import classes from '../ChannelEditor.module.css';
import { useChannelTypes } from '../useChannelTypes.ts';
import type { FieldsProps } from './fields-props.ts';

/** One key or several: a text view and a list view of the same value. */
export function KeyField({ form, channel }: FieldsProps) {
  const { t } = useTranslation();
  const [isList, setList] = useState(false);
  const { key, type, isBatch } = form.values;
  const isOptional = useChannelTypes().get(type)?.key_optional ?? false;
  const keys = splitKeys(key);
  const label = t('channel.field.key');
  const isNew = channel === undefined;
  const hint = isNew
    ? t(isOptional ? 'channel.key.anyHint' : 'channel.key.hint')
    : t('channel.key.keep');
  return (
    <Stack gap={6}>
      <Group justify="space-between">
        <Input.Label required={isNew && !isOptional} labelElement="div">
          {label}
        </Input.Label>
        <SegmentedControl
          size="xs"
          aria-label={t('channel.key.view')}
          value={isList ? 'list' : 'text'}
          onChange={(view) => setList(view === 'list')}
          data={[
            { value: 'text', label: t('common.text') },
            { value: 'list', label: t('channel.key.list') },
          ]}
        />
      </Group>
      {isList ? (
        <>
          <KeyList
            label={t('channel.key.paste')}
            keys={keys}
            onChange={(next) => form.setFieldValue('key', next.join('\n'))}
          />
          {form.errors.key !== undefined && <Input.Error>{form.errors.key}</Input.Error>}
        </>
      ) : (
        <KeyText form={form} hint={hint} label={label} />
      )}
      {isNew && keys.length > 1 && (
        <Checkbox
          label={t('channel.key.batch', { count: keys.length })}
          description={t('channel.key.batchHint')}
          checked={isBatch}
          onChange={(event) => form.setFieldValue('isBatch', event.currentTarget.checked)}
        />
      )}
      {channel && (
        <StoredKeys channel={channel} onReveal={(text) => form.setFieldValue('key', text)} />
      )}
    </Stack>
  );
}

interface KeyTextProps {
  readonly form: FieldsProps['form'];
  readonly label: string;
  readonly hint: string;
}

/** A textarea, because an input would drop the line breaks of pasted text. */
function KeyText({ form, label, hint }: KeyTextProps) {
  const isHidden = usePrivacy();
  return (
    <Textarea
      aria-label={label}
      description={hint}
      minRows={1}
      maxRows={8}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes.key ?? '' }}
      data-hidden={isHidden || undefined}
      {...form.getInputProps('key')}
    />
  );
}

interface StoredKeysProps {
  readonly channel: Channel;
  readonly onReveal: (keys: string) => void;
}

/** The stored keys, masked; revealing them needs the permission and is audited. */
function StoredKeys({ channel, onReveal }: StoredKeysProps) {
  const { t } = useTranslation();
  const mayReveal = isSuperAdmin(useUser()?.role ?? 0);
  const reveal = useAction(() => channels.get({ id: channel.id, reveal: true }), {
    onDone: ({ key }) => onReveal(splitKeyText(key).join('\n')),
  });
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Dimmed>{t('channel.key.stored', { count: channel.keys.length })}</Dimmed>
        {mayReveal && (
          <SideButton
            size="compact-xs"
            loading={reveal.isPending}
            label={t('channel.key.reveal')}
            onClick={() => reveal.mutate(undefined)}
          />
        )}
      </Group>
      <div className={classes.keys}>
        {channel.keys.map((stored, index) => (
          <StoredKey key={stored.id} channelId={channel.id} stored={stored} index={index} />
        ))}
      </div>
    </Stack>
  );
}

interface StoredKeyProps {
  readonly channelId: number;
  readonly stored: Channel['keys'][number];
  /** Its place among the keys of the channel, from 0. */
  readonly index: number;
}

/** A key with its state, since when and why, and what changes it. */
function StoredKey({ channelId, stored, index }: StoredKeyProps) {
  const { t } = useTranslation();
  const { hint, status, reason, disabled_at } = stored;
  const isOn = status === CHANNEL_STATUS.enabled;
  const isResting = stored.resting_until * 1000 > Date.now();
  const manage = useAction(
    (action: 'enable_key' | 'disable_key') =>
      channelSingleKeys.manage({ channel_id: channelId, action, key_index: index }),
    { touches: [channelKeys] },
  );
  const wake = useAction(() => channels.wake({ id: channelId, key_id: stored.id }), {
    touches: [channelKeys],
  });
  const because = [
    ...(isOn ? [] : [disabled_at > 0 && dateTimeText(disabled_at), reason]),
    ...(isResting
      ? [
          t('channel.key.rests', { until: dateTimeText(stored.resting_until) }),
          stored.rest_model,
          stored.rest_reason,
        ]
      : []),
  ].filter(Boolean);
  return (
    <div>
      <Group wrap="nowrap">
        <Text size="xs" ff="monospace" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {hint}
        </Text>
        <StatusBadge of="channel" status={status} />
        {isResting && (
          <Button
            size="compact-xs"
            variant="subtle"
            loading={wake.isPending}
            onClick={() => wake.mutate(undefined)}
          >
            {t('channel.key.wake')}
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={t(isOn ? 'channel.key.disable' : 'channel.key.enable', { key: hint })}
          loading={manage.isPending}
          onClick={() => manage.mutate(isOn ? 'disable_key' : 'enable_key')}
        >
          {t(isOn ? 'action.disable' : 'action.enable')}
        </Button>
      </Group>
      {because.length > 0 && (
        <Dimmed style={{ overflowWrap: 'anywhere' }}>{because.join(' · ')}</Dimmed>
      )}
    </div>
  );
}
