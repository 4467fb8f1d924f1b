import { Controller, Get, ServiceUnavailableException } from '@nestjs/common'
import type { Api } from './api-provider.ts'

@Controller()
export class HealthController {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  @Get('health')
  health() {
    return { status: 'ok' }
  }

  @Get('ready')
  async ready() {
    const { code, body } = await this.#api.readiness()
    if (code === 503) throw new ServiceUnavailableException(body)
    return body
  }
}
