import { Button, Center, VisuallyHidden } from '@mantine/core';
import { IconAppWindow, IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { NewTabButton } from './ChatFrame.tsx';

interface ChatOutsideProps {
  readonly name: string;
  readonly place: string;
  readonly opening: 'app' | 'tab';
}

/** A chat application that cannot be framed: an installed program, or a plain-http page. */
export function ChatOutside({ name, place, opening }: ChatOutsideProps) {
  const { t } = useTranslation();
  return (
    <Center flex={1} p="md">
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      <Empty
        icon={<IconAppWindow size={36} />}
        title={t(`chat.${opening}.title`, { name })}
        text={t(`chat.${opening}.text`)}
        action={
          <>
            {opening === 'tab' ? (
              <NewTabButton place={place} />
            ) : (
              <Button component="a" href={place} leftSection={<IconExternalLink size={16} />}>
                {t('chat.app.open', { name })}
              </Button>
            )}
            <CopyWideButton text={place}>{t('chat.copy')}</CopyWideButton>
          </>
        }
      />
    </Center>
  );
}
