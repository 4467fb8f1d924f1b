import { once } from 'node:events'
import type { TestApi } from './api.ts'
import { RawConnection } from './raw-http.ts'

const BODY = '{"file_type":"csv"}'
const REQUESTS = [
  'GET /api/authors/?paginated=false HTTP/1.1\r\nhost: x\r\n\r\n',
  `POST /api/authors/export/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
]

/** Connections over which the authors are asked for, as lists and as files, and whose answers nobody reads. */
export async function stopReaders(api: Pick<TestApi, 'listen'>, count: number): Promise<RawConnection[]> {
  const port = await api.listen()
  const readers = Array.from({ length: count }, (_, i) => {
    const reader = new RawConnection(port)
    reader.socket.pause()
    return reader.send(REQUESTS[i % REQUESTS.length] as string)
  })
  await Promise.all(readers.map(({ socket }) => once(socket, 'connect')))
  return readers
}
